import { FAULT_CODES, FAULTS, SEVERITIES } from '../faults.js';
import type { Judged, Placed, Skipped } from './supply-rules.js';

/**
 * Hierarchical suppression: what an upper place explains is muted, with the reason, and the uppermost cause stands
 * first. A muted finding explains nothing itself, nor a mild one a worse one below it. Pure.
 */
export function suppress({ found, skipped }: Judged): { readonly kept: readonly Placed[]; skipped: Skipped[] } {
  const kept: Placed[] = [];
  const muted: Skipped[] = [];
  for (const one of [...found].sort(byRank)) {
    const reason = kept.find((other) => explains(other, one));
    if (!reason) kept.push(one);
    else {
      const { fault, device_id } = reason.finding;
      const { finding } = one;
      const by = `explained by ${fault} of ${device_id}`;
      muted.push({ rule: finding.fault, device_id: finding.device_id, reason: by });
    }
  }
  return { kept, skipped: [...muted, ...skipped] };
}

/** Uppermost first; in one place the breaker before its meters, doubts about a meter before what it says. */
function byRank(a: Placed, b: Placed): number {
  const rank = ({ place, finding }: Placed): readonly number[] => [
    // A meter that measures no breaker hangs on nothing and explains nothing.
    place.path.length === 0 ? Number.MAX_SAFE_INTEGER : place.path.length,
    place.role === 'breaker' ? 0 : 1,
    FAULTS[finding.fault].doubts ? 0 : 1,
    FAULT_CODES.indexOf(finding.fault),
  ];
  const [left, right] = [rank(a), rank(b)];
  const at = left.findIndex((value, index) => value !== right[index]);
  return at < 0 ? compareIds(a.place.id, b.place.id) : (left[at] as number) - (right[at] as number);
}

const compareIds = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function explains(cause: Placed, one: Placed): boolean {
  const { explains: below, doubts } = FAULTS[cause.finding.fault];
  const { fault } = one.finding;
  if (cause.place.id === one.place.id) return below.includes(fault) || doubts?.includes(fault) === true;
  const rank = ({ finding }: Placed): number => SEVERITIES.indexOf(finding.severity);
  if (rank(cause) < rank(one)) return false;
  const breaker = cause.place.path[0];
  return breaker !== undefined && one.place.path.includes(breaker) && below.includes(fault);
}
