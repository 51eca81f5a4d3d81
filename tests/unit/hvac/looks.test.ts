import { describe, expect, test } from 'vitest';
import { lookAt } from '../../../agents/hvac/diagnosis/looks.js';
import { equipmentOfFloor, equipmentOfZone } from '../../../agents/hvac/equipment.js';
import { HermesError } from '../../../shared/errors.js';
import { hvacBench } from '../../support/hvac-bench.js';
import { demoSite } from '../../support/hvac-looks.js';

const site = demoSite();
const zone = equipmentOfZone(site, 'F3-C');
const floor = equipmentOfFloor(site, 3);

describe('looks at equipment', () => {
  test('four looks, 500 ms apart, all points of each device', async () => {
    const { ctx, run, reads } = hvacBench();
    const { seen, window_ms } = await run(lookAt(ctx, zone));
    expect(seen.map(({ looks }) => looks.length)).toEqual([4, 4, 4]);
    expect(window_ms).toBeGreaterThanOrEqual(1_500);
    expect(reads.filter((read) => read === 'AHU-3 16')).toHaveLength(4);
  });

  test('a silent device costs time-outs of one point and is not asked again; the others are looked at', async () => {
    const { ctx, clock, run, reads, behave } = hvacBench();
    behave('AHU-3', { silent: 'timeout', readMs: 1_000 });
    const began = clock.now();
    const { seen } = await run(lookAt(ctx, zone));
    expect(reads.filter((read) => read.startsWith('AHU-3'))).toEqual(['AHU-3 1', 'AHU-3 1', 'AHU-3 1']);
    expect(seen.map(({ looks, silent }) => silent ?? looks.length)).toEqual(['timeout', 4, 4]);
    expect(clock.now() - began).toBeLessThan(5_000);
  });

  test('what cannot pass by itself is not tried again', async () => {
    const { ctx, run, reads, behave } = hvacBench();
    behave('AHU-3', { silent: 'refused' });
    await run(lookAt(ctx, zone));
    expect(reads.filter((read) => read.startsWith('AHU-3'))).toHaveLength(1);
  });

  test('one lost answer on a link that answers does not make a device silent', async () => {
    const { ctx, run, behave } = hvacBench();
    const read = ctx.modbus.read;
    let lost = 0;
    ctx.modbus.read = async (id, points) => {
      if (id === 'VAV-303' && points.length === 1 && lost++ === 1) behave(id, { silent: 'timeout' });
      return read(id, points).finally(() => behave(id, {}));
    };
    const { seen } = await run(lookAt(ctx, zone));
    expect(seen.map(({ looks }) => looks.length)).toEqual([4, 4, 4]);
  });

  test('a whole link that is silent is found so within the time of a call', async () => {
    const { ctx, clock, run, behave } = hvacBench();
    for (const { id } of floor) behave(id, { silent: 'timeout', readMs: 1_000 });
    const began = clock.now();
    const { seen } = await run(lookAt(ctx, floor));
    expect(seen.every(({ silent }) => silent === 'timeout')).toBe(true);
    expect(clock.now() - began).toBeLessThan(8_500);
  });

  test('for what no time is left is not asked, and said so', async () => {
    const { ctx, run, behave } = hvacBench({ timeMs: 5_000 });
    behave('AHU-3', { silent: 'timeout', readMs: 1_000 });
    const { seen } = await run(lookAt(ctx, floor));
    expect(seen.at(-1)).toMatchObject({ unasked: true, looks: [] });
  });

  test('a missing right is no silence', async () => {
    const { ctx, run } = hvacBench();
    ctx.modbus.read = async () => {
      throw new HermesError('not_allowed', 'modbus.read:AHU-3 is not granted');
    };
    await expect(run(lookAt(ctx, zone))).rejects.toMatchObject({ reason: 'not_allowed' });
  });
});
