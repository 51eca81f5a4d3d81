import { expect, test } from 'vitest';
import { openSim, type SimConnection, type SimOptions, type Transport } from '../../../../../mcp/transport/index.js';
import { seededRandom } from '../../../../../shared/random.js';
import { silentLogger } from '../../../../../shared/telemetry/logger.js';
import { VirtualClock } from '../../../../../shared/virtual-clock.js';
import { bytes, text } from '../../../../support/transport-harness.js';

const setUp = (seed = 1, more: Partial<SimOptions> = {}) => {
  const clock = new VirtualClock();
  return { clock, sim: openSim({ clock, random: seededRandom(seed), logger: silentLogger(), ...more }) };
};

const lost = expect.objectContaining({ reason: 'instance_lost', message: expect.stringContaining('Crashed') });

/** Three components that talk, race for one subject and write down everything they see. */
async function trace(seed: number): Promise<readonly string[]> {
  const { clock, sim } = setUp(seed);
  const lines: string[] = [];
  const run = async ({ transport }: SimConnection, name: string): Promise<void> => {
    const { bus, log } = transport;
    const note = (what: string): void => void lines.push(`${clock.now()} ${name} ${what}`);
    bus.subscribe('job', (message) => note(`job ${text(message.payload)}`), { queue: 'workers' });
    bus.subscribe('news', (message) => note(`news ${text(message.payload)}`));
    log.tail('race', 1, (record) => note(`tail ${record.seq} ${text(record.payload)}`));
    for (let n = 0; n < 15; n++) {
      bus.publish('job', bytes(`${name}${n}`));
      bus.publish('news', bytes(`${name}${n}`));
      const last = (await log.last('race'))?.seq ?? 0;
      const won = await log.append('race', bytes(`${name}${n}`), { expectedLastSeq: last }).catch(() => undefined);
      note(won ? `won ${won.seq}` : 'lost');
    }
  };
  await clock.run(Promise.all(['a', 'b', 'c'].map((name) => run(sim.connect(name), name))));
  await clock.advance(100);
  return lines;
}

test('same seed, same order of everything; another seed, another order', async () => {
  const first = await trace(7);
  expect(first.length).toBeGreaterThan(150);
  expect(await trace(7)).toEqual(first);
  expect(await trace(8)).not.toEqual(first);
});

test('after a crash every door throws, also for a continuation that was waiting', async () => {
  const { clock, sim } = setUp();
  const { transport, crash } = sim.connect('plc');
  const store = await transport.openStore('plc');
  const membership = await transport.liveness.join({
    component: 'plc',
    instance: 'p',
    version: '1.0',
    since: 0,
    state: 'ready',
  });
  const waiting = transport.log.append('a', bytes('x'));
  crash();
  crash();
  await expect(clock.run(waiting)).rejects.toEqual(lost);
  const calls: (() => unknown)[] = [
    () => transport.bus.publish('a', bytes('x')),
    () => transport.bus.subscribe('a', () => undefined),
    () => transport.log.read('>'),
    () => transport.log.tail('>', 1, () => undefined),
    () => transport.liveness.members(),
    () => transport.liveness.watch(() => undefined),
    () => store.range({ from: 'a', to: 'b' }),
  ];
  for (const call of calls) expect(call).toThrowError(lost);
  const works: (() => Promise<unknown>)[] = [
    () => transport.log.append('a', bytes('x')),
    () => transport.log.last('a'),
    () => transport.log.headSeq('>'),
    () => transport.bus.flush(),
    () => transport.openStore('plc'),
    () => store.get('a'),
    () => store.batch([]),
    () => membership.update('draining'),
    () => membership.leave(),
    () => transport.close(),
  ];
  for (const work of works) await expect(work()).rejects.toEqual(lost);
});

test('a crashed component hears nothing more, its group goes on without it', async () => {
  const { clock, sim } = setUp();
  const [one, two] = [sim.connect('w'), sim.connect('w')];
  const heard: string[] = [];
  const listen = ({ bus, log }: Transport, name: string): void => {
    bus.subscribe('job', () => void heard.push(`${name} job`), { queue: 'g' });
    log.tail('a', 1, () => void heard.push(`${name} tail`));
  };
  listen(one.transport, 'one');
  listen(two.transport, 'two');
  one.crash();
  for (let n = 0; n < 10; n++) sim.bus.publish('job', bytes('x'));
  await clock.run(sim.log.append('a', bytes('x')));
  await clock.advance(50);
  expect(heard.sort()).toEqual([...Array.from({ length: 10 }, () => 'two job'), 'two tail']);
});

test('a component that comes back finds its log and what its store had synced', async () => {
  const { clock, sim } = setUp();
  const before = sim.connect('plc');
  const store = await before.transport.openStore('plc');
  await clock.run(before.transport.log.append('a', bytes('1')));
  await store.batch([{ type: 'put', key: 'k', value: bytes('old') }], { sync: true });
  await store.batch([
    { type: 'put', key: 'k', value: bytes('new') },
    { type: 'put', key: 'extra', value: bytes('x') },
  ]);
  before.crash();
  const after = sim.connect('plc').transport;
  const again = await after.openStore('plc');
  expect(text((await again.get('k')) ?? bytes(''))).toBe('old');
  expect(await again.get('extra')).toBeUndefined();
  expect(text((await after.log.last('a'))?.payload ?? bytes(''))).toBe('1');
});

test.each([
  [0, true],
  [1, false],
])('an append on its way at a crash: with a chance of loss of %d it is there: %s', async (lostAtCrash, there) => {
  const { clock, sim } = setUp(1, { lostAtCrash });
  const { transport, crash } = sim.connect('plc');
  const work = transport.log.append('a', bytes('x'));
  crash();
  await expect(clock.run(work)).rejects.toEqual(lost);
  await clock.advance(50);
  expect((await sim.log.headSeq('a')) > 0).toBe(there);
});

test('an idle site has no timers; one component that closes takes nothing from another', async () => {
  const { clock, sim } = setUp();
  const [one, two] = [sim.connect('a').transport, sim.connect('b').transport];
  const heard: string[] = [];
  two.bus.subscribe('x', (message) => void heard.push(text(message.payload)));
  two.log.tail('>', 1, (record) => void heard.push(text(record.payload)));
  await clock.run(one.log.append('a', bytes('1')));
  await clock.run(one.close());
  sim.bus.publish('x', bytes('2'));
  await clock.run(sim.log.append('a', bytes('3')));
  await clock.advance(50);
  expect(heard.sort()).toEqual(['1', '2', '3']);
  expect(clock.pending).toBe(0);
});
