import { z } from 'zod';
import { HermesError } from '../../../shared/errors.js';
import { confirmed, failed, unknown } from '../../../shared/outcome.js';
import { defineTool, scopes, type Tool, type ToolContext } from '../../runtime/index.js';
import { deviceId, findDevice, MODE_COMMAND, numberOf, refuseUnsafe } from '../device.js';

const mode = z.enum(['RUN', 'STOP']);
type Mode = z.output<typeof mode>;
const REGISTER: Readonly<Record<Mode, number>> = { STOP: 0, RUN: 1 };
/** A processor reports its mode within one scan; asked again after this. */
const POLL_MS = 200;

/**
 * Sets a controller to RUN or STOP. A stopped controller lets go of what it drives, a started one moves it: a person
 * decides (high risk). RUN is refused while the emergency stop is pressed, the device is locked out or in maintenance,
 * or nobody can say so (ISO 14118: no unexpected start-up); STOP never is.
 */
export function setMode(): Tool {
  return defineTool({
    name: 'set_mode',
    version: '1.2.0',
    description: 'sets one controller to RUN or STOP and reads the mode back',
    input: z.strictObject({ device_id: deviceId, mode }),
    output: z.object({ device_id: z.string(), mode, before: mode.nullable() }),
    side_effects: ['modbus.read:PLC-*', 'modbus.write:PLC-*'],
    effect_class: 'idempotent_write',
    risk: 'high',
    actor_key: 'device_id',
    probe: 'get_device_status',
    timeout_ms: 5_000,
    scope: (input) => scopes.device(input.device_id),
    async preflight(ctx, { device_id, mode: wanted }) {
      const device = findDevice(ctx.site, device_id);
      if (!device.points.some(({ name, access }) => name === MODE_COMMAND && access === 'rw')) {
        throw new HermesError('refused_by_device', `${device_id} has no mode that can be set from here`, {
          ...{ device_id, why: 'interlock' },
          suggestion: `declare a point ${MODE_COMMAND} for it in the topology`,
        });
      }
      if (wanted === 'RUN') await refuseUnsafe(ctx, device_id);
    },
    async preState(ctx, { device_id }) {
      return { mode: await modeOf(ctx, device_id) };
    },
    plans: ({ device_id, mode: wanted }, before) => [
      { capability: 'modbus.write', target: `${device_id}.${MODE_COMMAND}`, before: before.mode, after: wanted },
    ],
    async execute(ctx, { device_id, mode: wanted }, preState) {
      await ctx.modbus.write(device_id, MODE_COMMAND, REGISTER[wanted]);
      return { device_id, mode: wanted, before: preState.mode as Mode | null };
    },
    async verify(ctx, { device_id, mode: wanted }, given, preState) {
      const before = preState.mode as Mode | null;
      const seen = await readBack(ctx, device_id, wanted);
      const evidence = { point: 'mode', wanted, read_back: seen, before };
      if (seen === wanted) return { ...confirmed(evidence), output: given ?? { device_id, mode: wanted, before } };
      return seen === null ? unknown(evidence) : failed(evidence);
    },
    alternatives: { none: 'no other method changes what a controller runs' },
    test_cases: [
      {
        name: 'a running controller is stopped',
        input: { device_id: 'PLC-004', mode: 'STOP' },
        expect: {
          outcome: 'ok',
          output: { device_id: 'PLC-004', mode: 'STOP', before: 'RUN' },
          effects: ['modbus.write:PLC-004.mode_command'],
        },
      },
    ],
    rollback: {
      name: 'set_prior_mode',
      description: 'sets the mode that stood there before, and reads it back',
      max_ms: 1_000,
      async run(ctx, { input: { device_id }, preState }) {
        const before = preState.mode as Mode | null;
        if (!before) throw new HermesError('rollback_failed', `the prior mode of ${device_id} is not known`);
        if ((await modeOf(ctx, device_id)) === before) return;
        await ctx.modbus.write(device_id, MODE_COMMAND, REGISTER[before]);
        const seen = await readBack(ctx, device_id, before);
        if (seen === before) return;
        throw new HermesError('rollback_failed', `${device_id} was set back and is not what it was`, {
          evidence: { point: 'mode', wanted: before, read_back: seen },
        });
      },
    },
    snapshot: ({ device_id }, set, about) => ({
      data: {
        device_id,
        action: 'set_mode',
        mode: set.mode,
        before: set.before,
        at: about.at,
        operator: about.operator,
        operation_id: about.operationId,
      },
    }),
  });
}

/** What the processor says it does, not what it was told; null when it cannot be read. */
async function modeOf(ctx: ToolContext, device_id: string): Promise<Mode | null> {
  const register = numberOf(await ctx.modbus.read(device_id, ['mode']), 'mode');
  if (register === undefined) return null;
  return register === REGISTER.RUN ? 'RUN' : 'STOP';
}

async function readBack(ctx: ToolContext, device_id: string, wanted: Mode): Promise<Mode | null> {
  const seen = await modeOf(ctx, device_id);
  if (seen === wanted) return seen;
  await ctx.clock.sleep(POLL_MS, ctx.signal);
  return modeOf(ctx, device_id);
}
