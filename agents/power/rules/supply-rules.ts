import type { FaultCode } from '../faults.js';
import type { ChainPlace } from '../supply-chain.js';
import { BREAKER_RULES } from './breaker-rules.js';
import { type Finding, findingOf, staleFinding, unreachableFinding } from './finding.js';
import { overLooks } from './judgement.js';
import type { Seen } from './look.js';
import { QUALITY_RULES } from './quality-rules.js';
import { VOLTAGE_RULES } from './voltage-rules.js';

/** A finding with its place in the chain. */
export interface Placed {
  readonly place: ChainPlace;
  readonly finding: Finding;
}

/** A rule that said nothing, and why. */
export interface Skipped {
  readonly rule: string;
  readonly device_id: string;
  readonly reason: string;
}

export interface Judged {
  readonly found: readonly Placed[];
  readonly skipped: readonly Skipped[];
}

/** All rules over one breaker or meter. Pure. */
export function judgePlace(place: ChainPlace, seen: Seen, now: number): Judged {
  const skip = (rule: string, reason: string): Skipped => ({ rule, device_id: place.id, reason });
  if (seen.unreachable !== undefined) {
    if (place.role === 'breaker') return { found: [], skipped: [skip(UNREAD_BREAKER, seen.unreachable)] };
    return { found: [{ place, finding: unreachableFinding(place.id, seen.unreachable, now) }], skipped: [] };
  }
  const found: Placed[] = [];
  const skipped: Skipped[] = [];
  if (place.role === 'meter' && isStale(seen)) found.push({ place, finding: staleFinding(seen) });
  for (const rule of place.role === 'breaker' ? BREAKER_RULES : [...VOLTAGE_RULES, ...QUALITY_RULES]) {
    const said = overLooks(rule, seen);
    if (said.is === 'unjudged') skipped.push(skip(rule.fault, said.reason));
    if (said.is === 'found') found.push({ place, finding: findingOf(seen, rule.fault, said) });
  }
  return { found, skipped };
}

/** Stands in `skipped` where a breaker does not answer: it has no fault of its own then, and no state either. */
export const UNREAD_BREAKER = 'breaker_state';

/**
 * Every value the same to the last bit over all looks. A measured voltage always moves in its last digits; a dead line
 * says nought each time and is not stale.
 */
export function isStale({ looks }: Pick<Seen, 'looks'>): boolean {
  const [first, ...others] = looks;
  if (!first || others.length === 0) return false;
  const names = Object.keys(first.values);
  if (!names.some((name) => name.startsWith('voltage_') && first.values[name] !== 0)) return false;
  return others.every(({ values }) => names.every((name) => Object.is(values[name], first.values[name])));
}

/** Whether the voltage rules could be judged on a meter: only then it says that power arrives. */
export function tellsVoltage(id: string, { found, skipped }: Judged): boolean {
  const doubtful = found.some(
    ({ place, finding }) => place.id === id && (DOUBTFUL as readonly FaultCode[]).includes(finding.fault),
  );
  return !doubtful && !skipped.some(({ device_id, rule }) => device_id === id && rule === 'supply_lost');
}

const DOUBTFUL = ['meter_unreachable', 'meter_stale'] as const satisfies readonly FaultCode[];
