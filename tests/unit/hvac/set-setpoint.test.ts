import { describe, expect, test } from 'vitest';
import { setSetpoint } from '../../../agents/hvac/tools/set-setpoint.js';
import { HermesError } from '../../../shared/errors.js';
import { hvacBench } from '../../support/hvac-bench.js';
import { demoSite } from '../../support/hvac-looks.js';

const { spec, input } = setSetpoint();
type Bench = ReturnType<typeof hvacBench>;

/** Preflight and state before, as the runner asks for them. */
async function prepare({ ctx, run }: Bench, zone: string, temperature_c: number) {
  const given = { zone, temperature_c };
  await run(spec.preflight?.(ctx, given) ?? Promise.resolve());
  return run(spec.preState?.(ctx, given) ?? Promise.resolve({}));
}
const refused = (bench: Bench, zone: string, degrees: number) =>
  prepare(bench, zone, degrees).then(
    () => 'allowed',
    (error: { data: { fields?: unknown }; message: string }) => error.data.fields ?? error.message,
  );
const field = (pointer: string, problem: string) => [{ pointer: `/params/${pointer}`, problem }];

describe('what is refused before anything is written', () => {
  test.each<[number, unknown]>([
    [16, 'allowed'],
    [30, 'allowed'],
    [15.5, field('temperature_c', '15.5 is below 16 °C')],
    [30.5, field('temperature_c', '30.5 is above 30 °C')],
    [40, field('temperature_c', '40 is above 30 °C')],
    [22.5, 'allowed'],
    [22.4, field('temperature_c', '22.4 is between two steps of 0.5 K')],
    [-24, field('temperature_c', '-24 is below 16 °C')],
  ])('%d °C', async (degrees, expected) => {
    expect(await refused(hvacBench({ said: { 'VAV-301': { temperature_setpoint: 23 } } }), 'F3-A', degrees)).toEqual(
      expected,
    );
  });

  test('not a number, or more than is asked for', () => {
    for (const temperature_c of [Number.NaN, Number.POSITIVE_INFINITY, '24', null]) {
      expect(input.safeParse({ zone: 'F3-A', temperature_c }).success).toBe(false);
    }
    expect(input.safeParse({ zone: 'F3-A', temperature_c: 24, mode: 'cool' }).success).toBe(false);
  });

  test('a way of more than 8 K, for any device of the zone', async () => {
    const bench = hvacBench({
      said: { 'VAV-303': { temperature_setpoint: 22 }, 'VAV-304': { temperature_setpoint: 17.5 } },
    });
    expect(await refused(bench, 'F3-C', 25.5)).toBe('allowed');
    expect(await refused(bench, 'F3-C', 26)).toEqual(
      field('temperature_c', '26 is 8.5 K from the 17.5 °C of VAV-304; at most 8 K a command'),
    );
  });

  test('the seventh change within ten minutes', async () => {
    const bench = hvacBench();
    const now = bench.clock.now();
    const ago = (seconds: number) => new Date(now - seconds * 1000).toISOString();
    bench.remember({ changed_at: [599, 500, 400, 300, 200, 100].map(ago) });
    const again = new Date(now - 599_000 + 600_000).toISOString();
    expect(await refused(bench, 'F3-A', 24)).toEqual(
      field('zone', `the set-point of F3-A was changed 6 times within 10 minutes; again from ${again}`),
    );
    bench.remember({ changed_at: [600, 500, 400, 300, 200, 100].map(ago) });
    expect(await refused(bench, 'F3-A', 24)).toBe('allowed');
    bench.remember({ changed_at: [599, 500, 400, 300, 200, 100].map(ago) });
    expect(await refused(bench, 'F3-A', 22), 'it has 22 already').toBe('allowed');
    bench.remember({ changed_at: 'crafted' });
    expect(await refused(bench, 'F3-A', 24)).toBe('allowed');
  });

  test('narrower limits of a register count', async () => {
    const site = demoSite();
    const narrow = site.devices.map((device) => ({
      ...device,
      points: device.points.map((point) => (point.name === 'temperature_setpoint' ? { ...point, max: 26 } : point)),
    }));
    expect(await refused(hvacBench({ site: { ...site, devices: narrow } }), 'F3-A', 27)).toEqual(
      field('temperature_c', '27 is above 26 °C'),
    );
  });

  test('an unknown zone, and one that has nothing to set', async () => {
    expect(await refused(hvacBench(), 'F9-A', 24)).toBe('no zone F9-A at this site');
    const site = demoSite();
    const bare = { ...site, devices: site.devices.filter(({ zone }) => zone !== 'F3-A') };
    expect(await refused(hvacBench({ site: bare }), 'F3-A', 24)).toBe('no device of zone F3-A takes a temperature');
  });

  test('a set-point that cannot be read could not be written back', async () => {
    const bench = hvacBench();
    bench.behave('VAV-304', { bad: ['temperature_setpoint'] });
    expect(await refused(bench, 'F3-C', 24)).toBe(
      'VAV-304.temperature_setpoint cannot be read, so it could not be written back',
    );
  });
});

describe('what is written and proven', () => {
  test('every device of the zone that has another set-point; the change is remembered', async () => {
    const bench = hvacBench({ said: { 'VAV-303': { temperature_setpoint: 24 }, 'VAV-304': { zone_temperature: 21 } } });
    const before = await prepare(bench, 'F3-C', 24);
    const given = { zone: 'F3-C', temperature_c: 24 };
    const done = await bench.run(spec.execute(bench.ctx, given, before));
    expect(bench.writes).toEqual(['VAV-304.temperature_setpoint 24']);
    const at = new Date(bench.clock.now());
    expect(done).toMatchObject({
      before: null,
      devices: [
        { device_id: 'VAV-303', before: 24 },
        { device_id: 'VAV-304', before: 22 },
      ],
      changed_at: [at.toISOString()],
      // 3 K of way for the one sensor, 18 minutes a kelvin.
      settles_until: new Date(at.getTime() + 54 * 60_000).toISOString(),
    });
  });

  test('asked after a crash, without output: what the devices say decides, and the output is made good', async () => {
    const bench = hvacBench();
    const before = await prepare(bench, 'F3-C', 24);
    const given = { zone: 'F3-C', temperature_c: 24 };
    const ask = () => bench.run(spec.verify?.(bench.ctx, given, undefined, before) ?? Promise.reject());
    expect(await ask()).toMatchObject({ outcome: 'failed' });
    await bench.ctx.modbus.write('VAV-303', 'temperature_setpoint', 24);
    expect(await ask()).toMatchObject({ outcome: 'failed', evidence: { read_back: { 'VAV-303': 24, 'VAV-304': 22 } } });
    await bench.ctx.modbus.write('VAV-304', 'temperature_setpoint', 24);
    expect(await ask()).toMatchObject({ outcome: 'confirmed', output: { zone: 'F3-C', before: 22 } });
    bench.behave('VAV-304', { silent: 'timeout' });
    expect(await ask()).toMatchObject({ outcome: 'unknown', evidence: { read_back: { 'VAV-304': null } } });
  });
});

describe('what is taken back', () => {
  const undo = async (bench: Bench, before: Awaited<ReturnType<typeof prepare>>) => {
    if ('none' in spec.rollback) throw new Error('no rollback');
    const operation = { input: { zone: 'F3-C', temperature_c: 25 }, preState: before, effects: [] };
    return bench.run(spec.rollback.run(bench.ctx, operation));
  };

  test('only what is not what it was is written, each proven', async () => {
    const bench = hvacBench();
    const before = await prepare(bench, 'F3-C', 25);
    await bench.ctx.modbus.write('VAV-303', 'temperature_setpoint', 25);
    bench.writes.length = 0;
    await undo(bench, before);
    expect(bench.writes).toEqual(['VAV-303.temperature_setpoint 22']);
    expect(bench.setpoint('VAV-303')).toBe(22);
  });

  test('a silent box does not hold the others up: they are back before its first time-out', async () => {
    const bench = hvacBench();
    const before = await prepare(bench, 'F3-C', 25);
    for (const id of ['VAV-303', 'VAV-304']) await bench.ctx.modbus.write(id, 'temperature_setpoint', 25);
    bench.behave('VAV-303', { silent: 'timeout', readMs: 1_000, refuses: true });
    const began = bench.clock.now();
    const undone = undo(bench, before).catch((error: unknown) => error);
    const write = bench.ctx.modbus.write;
    const backAt: number[] = [];
    bench.ctx.modbus.write = (id, ...rest) => {
      if (id === 'VAV-304') backAt.push(bench.clock.now() - began);
      return write(id, ...rest);
    };
    expect(await undone).toMatchObject({
      message: 'set-points are not what they were: VAV-303 says nothing instead of 22 °C',
      data: { evidence: { read_back: { 'VAV-303': null, 'VAV-304': 22 } } },
    });
    expect(backAt[0]).toBeLessThan(100);
    if ('none' in spec.rollback) throw new Error('no rollback');
    expect(bench.clock.now() - began).toBeLessThan(spec.rollback.max_ms);
  });

  test('a box that could not be read and takes the write is back', async () => {
    const bench = hvacBench();
    const before = await prepare(bench, 'F3-C', 25);
    for (const id of ['VAV-303', 'VAV-304']) await bench.ctx.modbus.write(id, 'temperature_setpoint', 25);
    const read = bench.ctx.modbus.read;
    let lost = 0;
    bench.ctx.modbus.read = async (id, points) => {
      if (id === 'VAV-303' && lost++ === 0) throw new HermesError('tool_failed', 'lost', { cause: 'timeout' });
      return read(id, points);
    };
    await undo(bench, before);
    expect(['VAV-303', 'VAV-304'].map((id) => bench.setpoint(id))).toEqual([22, 22]);
  });

  test.each([
    ['acknowledges and does nothing', { deaf: true }],
    ['refuses the write', { refuses: true }],
  ])('a box that %s does not keep the other, and the failure names it', async (_what, how) => {
    const bench = hvacBench();
    const before = await prepare(bench, 'F3-C', 25);
    for (const id of ['VAV-303', 'VAV-304']) await bench.ctx.modbus.write(id, 'temperature_setpoint', 25);
    bench.behave('VAV-303', how);
    const failure = await undo(bench, before).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      reason: 'rollback_failed',
      message: 'set-points are not what they were: VAV-303 says 25 instead of 22 °C',
      data: { evidence: { read_back: { 'VAV-303': 25, 'VAV-304': 22 } } },
    });
  });
});
