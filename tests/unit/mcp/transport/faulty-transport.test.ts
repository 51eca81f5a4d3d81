import { describe, expect, test } from 'vitest';
import { decodeMessage, encodeMessage } from '../../../../mcp/index.js';
import { faultyTransport, type Member, openTransport, type Transport } from '../../../../mcp/transport/index.js';
import { openFaults, parseFaultPlan } from '../../../../shared/fault-plan.js';
import { LIMITS } from '../../../../shared/limits.js';
import { seededRandom } from '../../../../shared/random.js';
import { silentLogger } from '../../../../shared/telemetry/logger.js';
import { VirtualClock } from '../../../../shared/virtual-clock.js';
import { bytes, collect, matches, text } from '../../../support/transport-harness.js';

/** Components a and b on one sim transport, both with the faults of one plan. */
async function openTwo(...rules: readonly unknown[]) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const logger = silentLogger();
  const sim = await openTransport('sim', { clock, random, logger });
  const faults = openFaults({ clock, random, matches }, parseFaultPlan({ rules }));
  const connections = ['a', 'b'].map((component) => sim.connect(component));
  const [a, b] = connections.map((connection, index) =>
    faultyTransport(connection.transport, { faults, clock, component: 'ab'.charAt(index), logger }),
  ) as [Transport, Transport];
  return { clock, sim, a, b, crash: (index: number) => connections[index]?.crash() };
}

const send = ({ bus }: Transport, subject: string, count: number): void => {
  for (let n = 0; n < count; n++) bus.publish(subject, bytes(String(n)));
};
const listen = ({ bus }: Transport, subject: string): string[] => {
  const heard: string[] = [];
  bus.subscribe(subject, ({ payload }) => void heard.push(text(payload)));
  return heard;
};
const numbers = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n));

describe('a faulty bus', () => {
  test('drops what its component publishes on the pattern, and nothing else', async () => {
    const { clock, a, b } = await openTwo({ on: 'bus', name: 'x.*', component: 'a', kind: 'drop', probability: 0.5 });
    const [hit, other] = [listen(b, 'x.1'), listen(b, 'y')];
    send(a, 'x.1', 200);
    send(a, 'y', 20);
    send(b, 'y', 20);
    await clock.advance(10);
    expect(hit.length).toBeGreaterThan(60);
    expect(hit.length).toBeLessThan(140);
    expect(other).toHaveLength(40);
  });

  test('delays keep the order of a subject', async () => {
    const { clock, a, b } = await openTwo({ on: 'bus', kind: 'delay', probability: 0.2, ms: 800 });
    const heard = listen(b, 'x');
    send(a, 'x', 100);
    await clock.advance(20);
    expect(heard.length).toBeLessThan(100);
    await clock.advance(1_000);
    expect(heard).toEqual(numbers(100));
  });

  test('reordered messages are overtaken, doubled ones come twice, none is lost', async () => {
    const reordering = await openTwo({ on: 'bus', kind: 'reorder', probability: 0.2, ms: 50 });
    const heard = listen(reordering.b, 'x');
    send(reordering.a, 'x', 100);
    await reordering.clock.advance(100);
    expect(heard).not.toEqual(numbers(100));
    expect([...heard].sort((one, two) => Number(one) - Number(two))).toEqual(numbers(100));
    const doubling = await openTwo({ on: 'bus', kind: 'duplicate', probability: 0.3, ms: 50 });
    const twice = listen(doubling.b, 'x');
    send(doubling.a, 'x', 100);
    await doubling.clock.advance(100);
    expect(new Set(twice).size).toBe(100);
    expect(twice.length).toBeGreaterThan(110);
  });

  test('what was cut short does not decode, whatever the message and wherever the cut', async () => {
    const { clock, a, b } = await openTwo({ on: 'bus', kind: 'corrupt' });
    let arrived = 0;
    b.bus.subscribe('x', ({ payload }) => {
      arrived++;
      expect(() => decodeMessage(payload)).toThrowError(expect.objectContaining({ reason: 'invalid_params' }));
    });
    for (let n = 0; n < 50; n++) {
      a.bus.publish('x', encodeMessage({ n, text: 'x'.repeat(n), list: [1, { two: 2 }] }, n % 2 ? 'json' : 'msgpack'));
    }
    await clock.advance(10);
    expect(arrived).toBe(50);
  });

  test('what is held back is not changed by its sender any more, and dies with it', async () => {
    const { clock, a, b, crash } = await openTwo({ on: 'bus', kind: 'delay', ms: 1_000, limit: 2 });
    const heard = listen(b, 'x');
    const payload = bytes('keep');
    a.bus.publish('x', payload);
    payload.fill(0);
    await clock.advance(1_001);
    expect(heard).toEqual(['keep']);
    a.bus.publish('x', bytes('lost'));
    crash(0);
    await clock.advance(1_001);
    expect(heard).toEqual(['keep']);
  });
});

describe('a faulty log', () => {
  test.each([
    ['refused', undefined, 0],
    ['written', true, 1],
    ['silent', true, 0],
  ] as const)('an append that is %s says unknown: %s and leaves %i', async (how, unknown, left) => {
    const { clock, sim, a, b } = await openTwo({ on: 'log', component: 'a', kind: 'error', how, limit: 1 });
    await expect(clock.run(a.log.append('x', bytes('1'), { expectedLastSeq: 0 }))).rejects.toMatchObject({
      reason: 'log_unavailable',
      data: unknown ? { unknown } : {},
    });
    expect(await clock.run(collect(sim.log.read('x')))).toHaveLength(left);
    await clock.run(b.log.append('y', bytes('other component')));
    await clock.run(a.log.append('x', bytes('2'), { expectedLastSeq: left }));
  });

  test('a conflict is said, not hidden, when the append would have been written', async () => {
    const { clock, a, b } = await openTwo({ on: 'log', component: 'a', kind: 'error', how: 'written' });
    await clock.run(b.log.append('x', bytes('first')));
    await expect(clock.run(a.log.append('x', bytes('2'), { expectedLastSeq: 0 }))).rejects.toMatchObject({
      reason: 'version_conflict',
    });
  });

  test('it is away for a while, for reading too, and then back', async () => {
    const gone = { on: 'log', component: 'a', kind: 'error', to_ms: 500 };
    const { clock, a } = await openTwo({ ...gone, op: 'append' }, { ...gone, op: 'read' });
    const away = { reason: 'log_unavailable' };
    await expect(clock.run(a.log.append('x', bytes('1')))).rejects.toMatchObject(away);
    await expect(clock.run(a.log.last('x'))).rejects.toMatchObject(away);
    await expect(clock.run(a.log.headSeq('x'))).rejects.toMatchObject(away);
    await expect(clock.run(collect(a.log.read('x')))).rejects.toMatchObject(away);
    await clock.advance(500);
    await clock.run(a.log.append('x', bytes('1')));
    expect(text((await clock.run(a.log.last('x')))?.payload ?? bytes(''))).toBe('1');
  });

  test('it is slow; what it tails comes late and in order', async () => {
    const { clock, a } = await openTwo(
      { on: 'log', kind: 'delay', ms: 400, limit: 1 },
      { on: 'log', op: 'tail', kind: 'delay', ms: 400 },
    );
    const seen: string[] = [];
    a.log.tail('x', 1, ({ payload }) => void seen.push(text(payload)));
    const before = clock.monotonic();
    for (const n of numbers(10)) await clock.run(a.log.append('x', bytes(n)));
    expect(clock.monotonic() - before).toBeGreaterThan(10);
    expect(seen.length).toBeLessThan(10);
    await clock.advance(4_000);
    expect(seen).toEqual(numbers(10));
  });
});

const member: Member = { component: 'a', instance: 'a-1', version: '1.0', since: 1, state: 'ready' };

describe('a faulty liveness', () => {
  const lost = { on: 'liveness', component: 'a', kind: 'drop', from_ms: 2_000, to_ms: 12_000 };
  const watched = ({ liveness }: Transport): string[] => {
    const changes: string[] = [];
    liveness.watch(({ kind, member: { instance } }) => void changes.push(`${kind} ${instance}`));
    return changes;
  };

  test('a member whose renewals are lost expires though it lives, knows it, and comes back', async () => {
    const { clock, a, b } = await openTwo(lost);
    const changes = watched(b);
    const membership = await clock.run(a.liveness.join(member));
    await clock.advance(1_500);
    expect(membership.renewedAgoMs()).toBeLessThanOrEqual(LIMITS.livenessRenewMs);
    await clock.advance(3_500);
    expect(membership.renewedAgoMs()).toBeGreaterThan(3_000);
    expect(b.liveness.members('a')).toHaveLength(1);
    await clock.advance(LIMITS.livenessTtlMs);
    expect(b.liveness.members('a')).toEqual([]);
    await clock.advance(5_000);
    expect(b.liveness.members('a')).toEqual([member]);
    expect(membership.renewedAgoMs()).toBeLessThanOrEqual(LIMITS.livenessRenewMs);
    expect(changes).toEqual(['joined a-1', 'expired a-1', 'joined a-1']);
  });

  test('a goodbye of one who has expired is no second end', async () => {
    const { clock, a, b } = await openTwo(lost);
    const changes = watched(b);
    const membership = await clock.run(a.liveness.join(member));
    await clock.advance(9_000);
    await clock.run(membership.leave());
    await clock.advance(10_000);
    expect(changes).toEqual(['joined a-1', 'expired a-1']);
  });

  test('late news come late and in order, to the one they are late for', async () => {
    const { clock, a, b, sim } = await openTwo({ on: 'liveness', component: 'b', kind: 'delay', ms: 900 });
    const [late, prompt] = [watched(b), watched(sim)];
    const membership = await clock.run(a.liveness.join(member));
    await clock.run(membership.update('draining'));
    await clock.run(membership.leave());
    const all = ['joined a-1', 'changed a-1', 'left a-1'];
    expect(prompt).toEqual(all);
    expect(late.length).toBeLessThan(3);
    await clock.advance(3_000);
    expect(late).toEqual(all);
  });

  test('the view of a dead component asks for nothing any more', async () => {
    const { clock, a, crash } = await openTwo(lost);
    await clock.run(a.liveness.join(member));
    crash(0);
    expect(() => a.liveness.members()).toThrowError(expect.objectContaining({ reason: 'instance_lost' }));
    crash(1);
    await clock.advance(20_000);
    expect(clock.pending).toBe(0);
  });
});
