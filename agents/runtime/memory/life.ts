import type { Snapshot } from '../record/index.js';

/** Its own time is not over. */
export const isLive = ({ expires_at }: Snapshot, now: number): boolean =>
  expires_at === undefined || Date.parse(expires_at) > now;

/**
 * The versions of one scope that are live, oldest first: none outlives its successor, so what is older than an expired
 * one is over too. The same that eviction leaves.
 */
export function liveVersions(versions: readonly Snapshot[], now: number): Snapshot[] {
  const over = versions.findLastIndex((snapshot) => !isLive(snapshot, now));
  return versions.slice(over + 1);
}
