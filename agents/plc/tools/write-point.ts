import { z } from 'zod';
import type { Point } from '../../../shared/device.js';
import { HermesError, invalidParams } from '../../../shared/errors.js';
import { confirmed, failed, unknown } from '../../../shared/outcome.js';
import { defineTool, scopes, type Tool, type ToolContext } from '../../runtime/index.js';
import { deviceId, findDevice, MODE_COMMAND } from '../device.js';

const value = z.union([z.number(), z.boolean()]);
type Value = z.output<typeof value>;

/**
 * Writes one point and proves it: range, write, read back within two polls, compare; undone by writing the prior value.
 */
export function writePoint(): Tool {
  return defineTool({
    name: 'write_point',
    version: '1.2.0',
    description: 'writes one point of one device and reads it back',
    input: z.strictObject({ device_id: deviceId, point: z.string().min(1).max(64), value }),
    output: z.object({ device_id: z.string(), point: z.string(), value, before: value.nullable() }),
    side_effects: ['modbus.read:PLC-*', 'modbus.write:PLC-*'],
    effect_class: 'idempotent_write',
    risk: 'low',
    actor_key: 'device_id',
    probe: 'get_device_status',
    timeout_ms: 5_000,
    scope: (input) => scopes.device(input.device_id),
    async preflight(ctx, input) {
      writablePoint(ctx, input.device_id, input.point, input.value);
    },
    async preState(ctx, { device_id, point }) {
      return { [point]: await current(ctx, device_id, point) };
    },
    async execute(ctx, { device_id, point, value: wanted }, preState) {
      await ctx.modbus.write(device_id, point, wanted);
      return { device_id, point, value: wanted, before: (preState[point] ?? null) as Value | null };
    },
    async verify(ctx, { device_id, point, value: wanted }, given, preState) {
      const tolerance = toleranceOf(writablePoint(ctx, device_id, point, wanted));
      const before = preState[point] as Value | null;
      const seen = await readBack(ctx, { device_id, point }, wanted, tolerance);
      const evidence = { point, wanted, read_back: seen, before };
      if (same(seen, wanted, tolerance)) {
        return { ...confirmed(evidence), output: given ?? { device_id, point, value: wanted, before } };
      }
      return seen === null ? unknown(evidence) : failed(evidence);
    },
    test_cases: [
      {
        name: 'a value within its limits is written once',
        input: { device_id: 'PLC-003', point: 'temperature_setpoint', value: 60 },
        expect: {
          outcome: 'ok',
          output: { device_id: 'PLC-003', value: 60 },
          effects: ['modbus.write:PLC-003.temperature_setpoint'],
        },
      },
      {
        name: 'a value outside of its limits is not written',
        input: { device_id: 'PLC-003', point: 'temperature_setpoint', value: 100_000 },
        expect: { outcome: 'invalid_params', effects: [] },
      },
      {
        name: 'a write that is acknowledged and not applied is told; there is nothing to take back',
        input: { device_id: 'PLC-003', point: 'temperature_setpoint', value: 61 },
        world: { faults: [{ device: 'PLC-003', kind: 'silent_write' }] },
        expect: {
          outcome: 'verification_failed',
          effects: ['modbus.write:PLC-003.temperature_setpoint'],
        },
      },
    ],
    rollback: {
      name: 'write_prior_value',
      description: 'writes the value that stood there before, and reads it back',
      max_ms: 1_000,
      async run(ctx, { input, preState }) {
        const before = preState[input.point] as Value | null;
        if (before === null || before === undefined) {
          throw new HermesError('rollback_failed', `the prior value of ${input.point} is not known`);
        }
        const { device_id, point } = input;
        if (same(await current(ctx, device_id, point), before, 1e-6)) return;
        await ctx.modbus.write(device_id, point, before);
        const tolerance = toleranceOf(findDevice(ctx.site, device_id).points.find(({ name }) => name === point));
        const seen = await readBack(ctx, input, before, tolerance);
        if (same(seen, before, tolerance)) return;
        throw new HermesError('rollback_failed', `${device_id}.${point} was written back and is not what it was`, {
          evidence: { point, wanted: before, read_back: seen },
        });
      },
    },
    snapshot: ({ device_id, point }, written, about) => ({
      data: {
        device_id,
        action: 'write_point',
        point,
        value: written.value,
        before: written.before,
        at: about.at,
        operator: about.operator,
        operation_id: about.operationId,
      },
    }),
  });
}

async function current(ctx: ToolContext, device_id: string, point: string): Promise<Value | null> {
  const values = await ctx.modbus.read(device_id, [point]);
  const read = values[point];
  return read?.quality.status === 'good' ? read.value : null;
}

/** What the point says, asked once more after 200 ms where it does not say `wanted`; null when it cannot be read. */
async function readBack(
  ctx: ToolContext,
  { device_id, point }: { device_id: string; point: string },
  wanted: Value,
  tolerance: number,
): Promise<Value | null> {
  const seen = await current(ctx, device_id, point);
  if (same(seen, wanted, tolerance)) return seen;
  await ctx.clock.sleep(200, ctx.signal);
  return current(ctx, device_id, point);
}

/** One step of the register, in engineering units. */
const toleranceOf = (point: Point | undefined): number => point?.scale ?? 1e-6;

const same = (seen: Value | null, wanted: Value, tolerance: number): boolean =>
  typeof seen === 'number' && typeof wanted === 'number'
    ? Math.abs(seen - wanted) <= tolerance / 2 + 1e-4
    : seen === wanted;

/** @throws HermesError `invalid_params` that names the limit. */
function writablePoint(ctx: ToolContext, device_id: string, name: string, wanted: Value): Point {
  const device = findDevice(ctx.site, device_id);
  const point = device.points.find((candidate) => candidate.name === name);
  const refuse = (pointer: string, problem: string) =>
    invalidParams(`${device_id}.${name} ${problem}`, [{ pointer: `/params/${pointer}`, problem }]);
  if (!point) {
    const near = device.points.filter((candidate) => candidate.access === 'rw').map((candidate) => candidate.name);
    throw refuse('point', `is not a point of the device; writable are ${near.join(', ')}`);
  }
  if (point.access !== 'rw') throw refuse('point', 'is read-only');
  if (name === device.restart?.point) throw refuse('point', 'is the restart command; use restart_device');
  if (name === MODE_COMMAND) throw refuse('point', 'is the mode command; use set_mode');
  if (typeof wanted === 'number' && point.min !== undefined && wanted < point.min)
    throw refuse('value', `is below ${point.min}`);
  if (typeof wanted === 'number' && point.max !== undefined && wanted > point.max)
    throw refuse('value', `is above ${point.max}`);
  if (typeof wanted === 'number' && point.type !== 'float32' && point.type !== 'bool') {
    const steps = wanted / (point.scale ?? 1);
    if (Math.abs(steps - Math.round(steps)) > 1e-6) throw refuse('value', `goes in steps of ${point.scale ?? 1}`);
  }
  return point;
}
