import type { Device, PointValue } from '../../shared/device.js';
import { HermesError } from '../../shared/errors.js';
import { linkCause, type ToolContext } from '../runtime/index.js';
import { LOOKS } from './config.js';
import { BREAKER_POINTS, type Look, METER_POINTS, type Seen } from './rules/look.js';
import { isStale } from './rules/supply-rules.js';
import { isMeter } from './supply-chain.js';

type Doors = Pick<ToolContext, 'modbus' | 'clock' | 'signal' | 'remainingMs'>;

/**
 * Looks at all devices at once, twice; a meter that said the same twice within a moment once more, where there is the
 * time: else it stays doubtful. One that fails in any look is unreachable, with the cause that its link gave, and is
 * not asked again.
 *
 * @throws HermesError `deadline` without the time to look twice
 */
export async function watch(ctx: Doors, devices: readonly Device[]): Promise<Seen[]> {
  let seen = await Promise.all(devices.map((device) => lookAgain(ctx, device, { id: device.id, looks: [] })));
  for (let round = 1; round < LOOKS.count; round++) {
    await pause(ctx, LOOKS.apart_ms);
    seen = await Promise.all(devices.map((device, index) => lookAgain(ctx, device, seen[index] as Seen)));
  }
  const doubtful = (index: number): boolean => isMeter(devices[index] as Device) && isDoubtful(seen[index] as Seen);
  if (!devices.some((_device, index) => doubtful(index))) return seen;
  // Two good looks are not thrown away for a third that could not be answered in time.
  if (ctx.remainingMs() <= LOOKS.stale_after_ms + LOOKS.kept_ms) return seen;
  await pause(ctx, LOOKS.stale_after_ms);
  return Promise.all(
    devices.map((device, index) =>
      doubtful(index) ? lookAgain(ctx, device, seen[index] as Seen) : (seen[index] as Seen),
    ),
  );
}

/** The same twice, and too soon after one another for a meter that renews its values once a second. */
const isDoubtful = (seen: Seen): boolean =>
  isStale(seen) && (seen.looks.at(-1)?.at ?? 0) - (seen.looks[0]?.at ?? 0) < LOOKS.stale_after_ms;

async function pause(ctx: Doors, ms: number): Promise<void> {
  if (ctx.remainingMs() <= ms) {
    throw new HermesError('deadline', 'no time to look twice at the supply', { started: true });
  }
  await ctx.clock.sleep(ms, ctx.signal);
}

async function lookAgain(ctx: Doors, device: Device, before: Seen): Promise<Seen> {
  if (before.unreachable !== undefined) return before;
  try {
    return { ...before, looks: [...before.looks, await look(ctx, device)] };
  } catch (thrown) {
    return { ...before, unreachable: linkCause(thrown) };
  }
}

/** The points of the device that the rules ask for. */
export const pointsOf = ({ points }: Device): string[] => {
  const asked: readonly string[] = [...METER_POINTS, ...BREAKER_POINTS];
  return points.map(({ name }) => name).filter((name) => asked.includes(name));
};

async function look(ctx: Doors, device: Device): Promise<Look> {
  const read = await withinTime(ctx, ctx.modbus.read(device.id, pointsOf(device)));
  const values: Record<string, number | boolean> = {};
  const missing: Record<string, string> = {};
  for (const { point, value, quality } of Object.values(read)) {
    if (quality.status === 'good' && value !== null) values[point] = value;
    else missing[point] = quality.status === 'good' ? 'no value' : quality.reason;
  }
  const at = Math.max(0, ...Object.values(read).map(({ source_time_unix_ms }) => source_time_unix_ms));
  return { at, values, missing };
}

/** One silent device does not use up the time of all. The read itself goes on; it changes nothing. */
async function withinTime(ctx: Doors, read: Promise<Record<string, PointValue>>): Promise<Record<string, PointValue>> {
  const answered = new AbortController();
  const limit = Math.max(0, Math.min(LOOKS.answer_ms, ctx.remainingMs() - LOOKS.kept_ms));
  const late = ctx.clock.sleep(limit, answered.signal).then(
    () => {
      throw new HermesError('tool_failed', 'no answer to a look', { cause: 'timeout' });
    },
    () => read,
  );
  try {
    return await Promise.race([read, late]);
  } finally {
    answered.abort();
  }
}
