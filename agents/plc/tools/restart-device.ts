import { z } from 'zod';
import { HermesError } from '../../../shared/errors.js';
import { confirmed, failed, unknown } from '../../../shared/outcome.js';
import { defineTool, scopes, type Tool, type ToolContext } from '../../runtime/index.js';
import { declared, deviceId, findDevice, isoSeconds, numberOf, refuseUnsafe, restartPath, STATUS } from '../device.js';

/** What tells a new life of the controller from the old one. */
const LIFE = ['heartbeat', 'status', 'boot_count', 'boot_time'];
/** Time a controller has to come back, ms. */
const HEARTBEAT_WAIT_MS = 8_000;
const POLL_MS = 200;
/** A restart is not begun with less: nobody would see whether the controller comes back. */
const MINIMUM_MS = 3_000;

const output = z.object({
  result: z.literal('SUCCESS'),
  device_id: z.string(),
  reboot_time: z.string().nullable(),
  /** Unknown when the restart was confirmed by a later life of the agent. */
  downtime_ms: z.number().nullable(),
});

interface Seen {
  readonly heartbeat?: number;
  readonly status?: number;
  readonly boot_count?: number;
  readonly boot_time?: number;
}

/**
 * Restarts a controller by its declared path and waits until its heartbeat runs again. Refused while the emergency
 * stop is pressed, the device is locked out or in maintenance, or while nobody can say so: no automatic restart then
 * (ISO 14118).
 */
export function restartDevice(): Tool {
  return defineTool({
    name: 'restart_device',
    version: '1.2.0',
    description: 'restarts one controller and waits for its heartbeat',
    input: z.strictObject({ device_id: deviceId, reason: z.string().max(200).optional() }),
    output,
    side_effects: ['modbus.read:PLC-*', 'modbus.write:PLC-*', 'alarm.raise:PLC-*'],
    effect_class: 'non_idempotent',
    risk: 'medium',
    actor_key: 'device_id',
    probe: 'get_device_status',
    timeout_ms: 10_000,
    retry_policy: { max_attempts: 1 },
    scope: (input) => scopes.device(input.device_id),
    async preflight(ctx, { device_id }) {
      restartPath(findDevice(ctx.site, device_id));
      await refuseUnsafe(ctx, device_id);
    },
    async preState(ctx, { device_id }) {
      return { ...(await look(ctx, device_id)) };
    },
    async execute(ctx, { device_id }, preState) {
      if (ctx.remainingMs() < MINIMUM_MS) {
        const detail = { device_id, started: false, minimum_ms: MINIMUM_MS };
        throw new HermesError('deadline', `no time left to see a restart of ${device_id} through`, detail);
      }
      const began = ctx.clock.monotonic();
      const path = restartPath(findDevice(ctx.site, device_id));
      await ctx.modbus.write(path.device ?? device_id, path.point, path.value);
      const seen = await waitForReturn(ctx, device_id, preState as Seen);
      if (!seen) {
        const after = await look(ctx, device_id);
        throw new HermesError('tool_failed', `${device_id} did not come back within ${HEARTBEAT_WAIT_MS / 1000} s`, {
          device_id,
          evidence: { before: preState, after },
          suggestion: `look at ${device_id} on site`,
        });
      }
      const downtime_ms = Math.round(ctx.clock.monotonic() - began);
      return { result: 'SUCCESS' as const, device_id, reboot_time: isoSeconds(seen.boot_time), downtime_ms };
    },
    async verify(ctx, { device_id }, given, preState) {
      const before = preState as Seen;
      for (;;) {
        const seen = await look(ctx, device_id);
        const evidence = { before, after: seen };
        const rebooted = seen.boot_count !== undefined && seen.boot_count !== before.boot_count;
        if (rebooted && seen.status === STATUS.ONLINE) {
          const reboot_time = isoSeconds(seen.boot_time);
          return {
            ...confirmed(evidence),
            output: given ?? { result: 'SUCCESS' as const, device_id, reboot_time, downtime_ms: null },
          };
        }
        if (!rebooted && seen.status === before.status) return failed(evidence);
        if (ctx.remainingMs() < POLL_MS) return unknown(evidence);
        await ctx.clock.sleep(POLL_MS, ctx.signal);
      }
    },
    alternatives: { none: 'a device has one restart path, which the topology declares' },
    test_cases: [
      {
        name: 'one that has stopped comes back',
        input: { device_id: 'PLC-007' },
        expect: {
          outcome: 'ok',
          output: { result: 'SUCCESS', device_id: 'PLC-007' },
          effects: ['modbus.write:PLC-007.restart_command'],
        },
      },
      {
        name: 'none past a pressed emergency stop',
        input: { device_id: 'PLC-007' },
        world: { put: [{ device: 'PLC-007', point: 'estop', value: true }] },
        expect: { outcome: 'refused_by_device', effects: [] },
      },
      {
        name: 'one that does not come back raises an alarm',
        input: { device_id: 'PLC-007' },
        world: { faults: [{ device: 'PLC-007', kind: 'reboot_never_ends' }] },
        expect: { outcome: 'tool_failed', effects: ['modbus.write:PLC-007.restart_command', 'alarm.raise:PLC-007'] },
      },
    ],
    rollback: {
      name: 'raise_restart_failed_alarm',
      description: 'a restart cannot be taken back: an alarm calls a person, and the record keeps the failure',
      max_ms: 500,
      async run(ctx, { input, preState }) {
        await ctx.alarm.raise('restart_failed', input.device_id, { before: preState, severity: 'high' });
      },
    },
    snapshot: ({ device_id, reason }, result, about) => ({
      data: {
        device_id,
        action: 'restart',
        trigger_reason: reason ?? null,
        result: result.result,
        reboot_time: result.reboot_time,
        at: about.at,
        operator: about.operator,
        operation_id: about.operationId,
      },
    }),
  });
}

async function look(ctx: ToolContext, device_id: string): Promise<Seen> {
  const values = await ctx.modbus.read(device_id, declared(ctx, device_id, LIFE));
  const at = (point: string) => numberOf(values, point);
  const seen = {
    heartbeat: at('heartbeat'),
    status: at('status'),
    boot_count: at('boot_count'),
    boot_time: at('boot_time'),
  };
  return Object.fromEntries(Object.entries(seen).filter(([, value]) => value !== undefined)) as Seen;
}

/** Booted once more, and the heartbeat has moved since: alive, not merely answering. */
async function waitForReturn(ctx: ToolContext, device_id: string, before: Seen): Promise<Seen | undefined> {
  const until = ctx.clock.monotonic() + Math.min(HEARTBEAT_WAIT_MS, ctx.remainingMs());
  let first: Seen | undefined;
  while (ctx.clock.monotonic() < until) {
    const seen = await look(ctx, device_id).catch(() => undefined);
    const up = seen?.status === STATUS.ONLINE && seen.boot_count !== undefined && seen.boot_count !== before.boot_count;
    if (seen && up) {
      if (first && first.heartbeat !== seen.heartbeat) return seen;
      first ??= seen;
    }
    await ctx.clock.sleep(POLL_MS, ctx.signal);
  }
  return undefined;
}
