import type { Snapshot, ToolContext } from '../../runtime/index.js';
import { scopes } from '../../runtime/index.js';
import { G36, SETPOINT } from '../config.js';

/** What the agent remembers of the set-point changes of a zone: in snapshots that only `set_setpoint` writes. */
export interface Changes {
  /** ISO times of the changes that still count against the rate. */
  readonly changed_at: readonly string[];
  /** Until when the zone is on its way to its set-point; ISO, null when it is not. */
  readonly settles_until: string | null;
}

/** Declared as `memory.read:zone_*`. */
export async function changesOf(ctx: ToolContext, zone: string): Promise<Changes> {
  return read(await ctx.memory.read(scopes.zone(zone)), ctx.clock.now());
}

function read(snapshot: Snapshot | undefined, now: number): Changes {
  const { changed_at, settles_until } = snapshot?.data ?? {};
  const times = Array.isArray(changed_at) ? changed_at.filter((time) => typeof time === 'string') : [];
  const settles = typeof settles_until === 'string' && Date.parse(settles_until) > now ? settles_until : null;
  return { changed_at: times.filter((time) => Date.parse(time) > now - SETPOINT.windowMs), settles_until: settles };
}

/**
 * The same, one change later. How long temperature alarms rest follows the way that the zone has to go: 18 minutes a
 * kelvin, at most 2 hours (G36 5.1.20). An unknown way counts as the longest.
 */
export function withChange(changes: Changes, at: number, wayK: number | undefined): Changes {
  const rest = wayK === undefined ? G36.settleMaxMs : Math.min(G36.settleMaxMs, Math.abs(wayK) * G36.settleMsPerK);
  return {
    changed_at: [...changes.changed_at, new Date(at).toISOString()],
    settles_until: new Date(at + rest).toISOString(),
  };
}
