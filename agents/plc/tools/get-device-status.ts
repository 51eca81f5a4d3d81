import { z } from 'zod';
import type { PointValue } from '../../../shared/device.js';
import { HermesError } from '../../../shared/errors.js';
import { defineTool, scopes, type Tool, type ToolContext } from '../../runtime/index.js';
import { deviceId, ERROR_CODES, findDevice, ipOf, isoSeconds, numberOf, STATUS } from '../device.js';

const POINTS = ['heartbeat', 'status', 'error_code', 'mode', 'last_heartbeat', 'ip_high', 'ip_low'] as const;
/** A heartbeat counts at 1 Hz; after this long without a step it is frozen. */
const BEAT_MS = 1_200;

const output = z.object({
  device_id: z.string(),
  status: z.enum(['ONLINE', 'OFFLINE', 'FAULT', 'MAINTENANCE']),
  mode: z.enum(['RUN', 'STOP']).nullable(),
  last_heartbeat: z.string().nullable(),
  error_code: z.string().nullable(),
  ip: z.string().optional(),
});
type Status = z.output<typeof output>;

/**
 * What the device says of itself, and nothing it did not say. A device that cannot be reached is OFFLINE with the
 * cause: being unreachable is an answer here, not a failure. A heartbeat that stands still on a live socket is
 * HEARTBEAT_FROZEN.
 */
export function getDeviceStatus(): Tool {
  return defineTool({
    name: 'get_device_status',
    version: '1.2.0',
    description: 'status, mode, last heartbeat and error code of one controller',
    input: z.strictObject({ device_id: deviceId }),
    output,
    side_effects: ['modbus.read:PLC-*'],
    effect_class: 'read',
    risk: 'low',
    actor_key: 'device_id',
    timeout_ms: 3_000,
    scope: (input) => scopes.device(input.device_id),
    async execute(ctx, { device_id }) {
      findDevice(ctx.site, device_id);
      try {
        const first = await ctx.modbus.read(device_id, POINTS);
        return await judge(ctx, device_id, first);
      } catch (error) {
        return unreachable(device_id, error);
      }
    },
    rollback: { none: 'a read changes nothing' },
    snapshot: (_input, status) => ({ data: status }),
  });
}

async function judge(ctx: ToolContext, device_id: string, values: Record<string, PointValue>): Promise<Status> {
  const said = describe(device_id, values);
  if (said.status !== 'ONLINE' || said.error_code) return said;
  const before = numberOf(values, 'heartbeat');
  await ctx.clock.sleep(Math.min(BEAT_MS, Math.max(0, ctx.remainingMs() - 500)), ctx.signal);
  const again = await ctx.modbus.read(device_id, POINTS);
  const later = describe(device_id, again);
  if (later.status !== 'ONLINE' || numberOf(again, 'heartbeat') !== before) return later;
  return { ...later, status: 'OFFLINE', error_code: later.error_code ?? 'HEARTBEAT_FROZEN' };
}

function describe(device_id: string, values: Record<string, PointValue>): Status {
  const code = numberOf(values, 'status');
  const error_code = ERROR_CODES[numberOf(values, 'error_code') ?? 0] ?? null;
  const ip = ipOf(values);
  const mode = numberOf(values, 'mode');
  return {
    device_id,
    status: statusOf(code),
    mode: mode === undefined ? null : mode === 1 ? 'RUN' : 'STOP',
    last_heartbeat: isoSeconds(numberOf(values, 'last_heartbeat')),
    error_code,
    ...(ip ? { ip } : {}),
  };
}

function statusOf(code: number | undefined): Status['status'] {
  if (code === STATUS.ONLINE) return 'ONLINE';
  if (code === STATUS.FAULT) return 'FAULT';
  if (code === STATUS.MAINTENANCE) return 'MAINTENANCE';
  return 'OFFLINE';
}

const CAUSES: Readonly<Record<string, string>> = {
  refused: 'COMM_REFUSED',
  gateway_target_silent: 'GATEWAY_TARGET_SILENT',
  exception_device: 'DEVICE_FAULT',
};

/** Only what the link says about the device becomes an answer; a defect or a missing right stays an error. */
function unreachable(device_id: string, thrown: unknown): Status {
  const cause = thrown instanceof HermesError ? thrown.data.cause : undefined;
  if (typeof cause !== 'string' || cause === 'cancelled') throw thrown;
  const error_code = CAUSES[cause] ?? 'COMM_TIMEOUT';
  return { device_id, status: 'OFFLINE', mode: null, last_heartbeat: null, error_code };
}
