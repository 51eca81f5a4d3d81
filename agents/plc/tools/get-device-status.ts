import { z } from 'zod';
import type { PointValue } from '../../../shared/device.js';
import { HermesError } from '../../../shared/errors.js';
import { defineTool, linkCause, scopes, type Tool, type ToolContext } from '../../runtime/index.js';
import { deviceId, ERROR_CODES, findDevice, ipOf, isoSeconds, numberOf, STATUS } from '../device.js';

const POINTS = ['heartbeat', 'status', 'error_code', 'mode', 'last_heartbeat', 'ip_high', 'ip_low'] as const;
/** A heartbeat counts at 1 Hz; after this long without a step it is frozen. */
const BEAT_MS = 1_300;
/** Between two looks at the counter. */
const LOOK_MS = 150;
/** Two silent reads make a driver reset a dead connection; the third goes over the new one. */
const TRIES = 3;
/** Time of one read without an answer. */
const READ_MS = 1_000;
const BUSY_MS = 250;

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
        return await judge(ctx, device_id, await lookPatiently(ctx, device_id));
      } catch (error) {
        return unreachable(device_id, error);
      }
    },
    test_cases: [
      {
        name: 'a controller that runs',
        input: { device_id: 'PLC-003' },
        expect: { outcome: 'ok', output: { status: 'ONLINE', error_code: null }, effects: [] },
      },
      {
        name: 'one that has stopped is offline and says why',
        input: { device_id: 'PLC-007' },
        expect: { outcome: 'ok', output: { status: 'OFFLINE', error_code: 'COMM_TIMEOUT' }, effects: [] },
      },
    ],
    rollback: { none: 'a read changes nothing' },
    snapshot: (_input, status) => ({ data: status }),
  });
}

/** A link that has just come back, or a device that is busy, gets another chance before it is called silent. */
async function lookPatiently(ctx: ToolContext, device_id: string): Promise<Record<string, PointValue>> {
  for (let tries = 1; ; tries++) {
    try {
      return await ctx.modbus.read(device_id, POINTS);
    } catch (error) {
      const cause = error instanceof HermesError ? error.data.cause : undefined;
      const passing = cause === 'timeout' || cause === 'closed' || cause === 'exception_busy';
      if (!passing || tries >= TRIES || ctx.remainingMs() < READ_MS) throw error;
      if (cause === 'exception_busy') await ctx.clock.sleep(BUSY_MS, ctx.signal);
    }
  }
}

/**
 * Online is what says so and beats: the counter is watched until it moves. Without the time to watch it long enough
 * there is no judgement. @throws HermesError `deadline`
 */
async function judge(ctx: ToolContext, device_id: string, values: Record<string, PointValue>): Promise<Status> {
  const said = describe(device_id, values);
  if (said.status !== 'ONLINE' || said.error_code) return said;
  const before = numberOf(values, 'heartbeat');
  const until = ctx.clock.monotonic() + BEAT_MS;
  let later = said;
  while (ctx.clock.monotonic() < until) {
    if (ctx.remainingMs() < LOOK_MS) {
      throw new HermesError('deadline', `no time to see whether ${device_id} is alive`, { device_id, started: true });
    }
    await ctx.clock.sleep(LOOK_MS, ctx.signal);
    const again = await ctx.modbus.read(device_id, POINTS);
    later = describe(device_id, again);
    if (later.status !== 'ONLINE' || numberOf(again, 'heartbeat') !== before) return later;
  }
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
  exception_busy: 'DEVICE_FAULT',
  exception_permanent: 'DEVICE_FAULT',
};

/** Only what the link says about the device becomes an answer; a defect or a missing right stays an error. */
function unreachable(device_id: string, thrown: unknown): Status {
  const cause = linkCause(thrown);
  const error_code = CAUSES[cause] ?? 'COMM_TIMEOUT';
  // A device that answers with an exception is there: in fault, not offline.
  const status = cause.startsWith('exception_') ? 'FAULT' : 'OFFLINE';
  return { device_id, status, mode: null, last_heartbeat: null, error_code };
}
