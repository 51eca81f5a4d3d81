import { describe, expect, test } from 'vitest';
import { openVault, scopes } from '../../../agents/runtime/index.js';
import { readDataKeys, rewrapDataKeys, rotateDataKey } from '../../../agents/runtime/record/index.js';
import { openSim } from '../../../mcp/transport/index.js';
import { type KeyProvider, softwareKeyProvider } from '../../../shared/keys/index.js';
import { seededRandom } from '../../../shared/random.js';
import { silentLogger } from '../../../shared/telemetry/logger.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { cellBench, toyTool } from '../../support/cell-bench.js';

const random = seededRandom(3);
const master = (byte: number): KeyProvider => softwareKeyProvider('sim', new Uint8Array(32).fill(byte), random);
const text = (plain: string): Uint8Array => Buffer.from(plain);
const said = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const bench = () => {
  const clock = new VirtualClock();
  const sim = openSim({ clock, random: seededRandom(2), logger: silentLogger() });
  const { log } = sim.connect('tester').transport;
  const vault = (keys: KeyProvider, next?: KeyProvider) => {
    const nextMaster = next ? { nextMaster: { provider: () => next, adopt: () => undefined } } : {};
    return clock.run(openVault({ log, keys, random, ...nextMaster }, 'default'));
  };
  return { clock, log, vault };
};

describe('rotation', () => {
  test('what was sealed before stays readable; what is sealed after is sealed under the new key', async () => {
    const { clock, log, vault } = bench();
    const one = await vault(master(7));
    const old = one.seal(text('before'), 'here');
    expect(await clock.run(rotateDataKey({ log, random, clock }, master(7), 'default'))).toBe(2);
    await clock.run(one.refresh());
    const fresh = one.seal(text('after'), 'here');
    expect([said(one.open(old, 'here')), said(one.open(fresh, 'here'))]).toEqual(['before', 'after']);
    expect([[...old.subarray(0, 3)], [...fresh.subarray(0, 3)]]).toEqual([
      [2, 0, 1],
      [2, 0, 2],
    ]);
    expect([...((await clock.run(readDataKeys(log, 'default')))?.wrapped.keys() ?? [])]).toEqual([1, 2]);
  });

  test('an instance that has not heard of it learns the key when it meets it', async () => {
    const { clock, log, vault } = bench();
    const [one, other] = [await vault(master(7)), await vault(master(7))];
    await clock.run(rotateDataKey({ log, random, clock }, master(7), 'default'));
    await clock.run(one.refresh());
    const fresh = one.seal(text('after'), 'here');
    expect(() => other.open(fresh, 'here')).toThrow(/does not open/);
    const learning = other.learn(fresh);
    expect(learning).toBeInstanceOf(Promise);
    await clock.run(learning as Promise<void>);
    expect(said(other.open(fresh, 'here'))).toBe('after');
    expect(other.learn(fresh)).toBeUndefined();
  });

  test('of two that rotate at once both do: no number is given twice', async () => {
    const { clock, log, vault } = bench();
    const one = await vault(master(7));
    const rotations = Array.from({ length: 5 }, () => rotateDataKey({ log, random, clock }, master(7), 'default'));
    const numbers = await clock.run(Promise.all(rotations));
    expect(numbers.toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5, 6]);
    await clock.run(one.refresh());
    expect([...one.seal(text('x'), 'y').subarray(1, 3)]).toEqual([0, 6]);
  });

  test('while two instances write: nothing is unreadable, versions have no gap', async () => {
    const cell = await cellBench({ tools: [toyTool('idempotent_write')] });
    const sibling = await cell.sibling();
    const { log } = cell.sim.connect('rotator').transport;
    const keys = softwareKeyProvider('sim', new Uint8Array(32).fill(7), random);
    for (let round = 0; round < 12; round++) {
      const instance = round % 2 ? sibling.cell.instance : cell.agent().cell.instance;
      await cell.call({ instance, params: { device_id: 'PLC-007', value: 20 + round } });
      if (round % 3 === 0) await cell.clock.run(rotateDataKey({ log, random, clock: cell.clock }, keys, 'default'));
      if (round % 4 === 0) await cell.clock.run((round % 8 ? sibling : cell.agent()).cell.refreshKeys());
    }
    for (const { cell: own } of [cell.agent(), sibling]) {
      await cell.clock.run(own.view.catchUp());
      const entries = await cell.clock.run(own.view.entries(scopes.device('PLC-007')));
      const versions = entries.flatMap(({ snapshots = [] }) => snapshots.map(({ version }) => version));
      expect(versions).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    }
    cell.crash();
    await cell.restart();
    expect(await cell.entries()).toHaveLength(24);
  });

  test('a process finds out within a minute, and seals under the newest', async () => {
    const cell = await cellBench({ tools: [toyTool('idempotent_write')] });
    const { log } = cell.sim.connect('rotator').transport;
    const keys = softwareKeyProvider('sim', new Uint8Array(32).fill(7), random);
    await cell.clock.run(rotateDataKey({ log, random, clock: cell.clock }, keys, 'default'));
    await cell.clock.advance(61_000);
    await cell.call();
    const last = await cell.clock.run(log.last('hermes.default.log.worker.device_PLC-007'));
    expect([...(last?.payload.subarray(0, 3) ?? [])]).toEqual([2, 0, 2]);
  });
});

describe('re-wrap', () => {
  test('the new master opens everything, the old one nothing, and both are named', async () => {
    const { clock, log, vault } = bench();
    const one = await vault(master(7));
    const old = one.seal(text('before'), 'here');
    await clock.run(rotateDataKey({ log, random, clock }, master(7), 'default'));
    expect(await clock.run(rewrapDataKeys(log, { from: master(7), to: master(8) }, 'default'))).toBe(2);
    expect(said((await vault(master(8))).open(old, 'here'))).toBe('before');
    const refusal = vault(master(7));
    await expect(refusal).rejects.toMatchObject({
      reason: 'log_unavailable',
      data: { needed: master(8).id, given: master(7).id },
    });
    await expect(refusal).rejects.toThrow(master(8).id);
    await expect(refusal).rejects.toThrow(master(7).id);
  });

  test('cut off before the new master took the old one’s place, a process with both starts', async () => {
    const { clock, log, vault } = bench();
    await vault(master(7));
    await clock.run(rewrapDataKeys(log, { from: master(7), to: master(8) }, 'default'));
    const started = await vault(master(7), master(8));
    expect(said(started.open(started.seal(text('x'), 'y'), 'y'))).toBe('x');
  });

  test('said twice it changes nothing; a wrong old master is refused', async () => {
    const { clock, log, vault } = bench();
    await vault(master(7));
    const rewrap = (from: number, to: number) =>
      clock.run(rewrapDataKeys(log, { from: master(from), to: master(to) }, 'default'));
    await rewrap(7, 8);
    const before = await clock.run(readDataKeys(log, 'default'));
    await rewrap(7, 8);
    expect((await clock.run(readDataKeys(log, 'default')))?.seq).toBe(before?.seq);
    await expect(rewrap(7, 9)).rejects.toMatchObject({ data: { needed: master(8).id } });
  });
});
