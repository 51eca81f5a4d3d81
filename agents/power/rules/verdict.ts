import { FAULTS, type FaultCode, SEVERITIES } from '../faults.js';
import type { ChainPlace, Route } from '../supply-chain.js';
import type { Finding } from './finding.js';
import type { Skipped } from './supply-rules.js';

export interface Verdict {
  /** `cause`: the supply keeps the equipment from working; `unknown`: nobody can say that it does not. */
  readonly verdict: 'ok' | 'cause' | 'unknown';
  readonly cause: FaultCode | null;
  readonly cause_device: string | null;
  /** Of `unknown`: the devices whose silence leaves it open. */
  readonly not_known: readonly string[];
}

/**
 * The supply is the cause where a finding keeps equipment from working, the uppermost of them. It is in order where on
 * every route all breakers said that they are closed and a meter next to the subject could tell the voltage. Pure.
 *
 * @param findings kept ones, in the order of `causesFirst`
 * @param answered breakers that said their position
 * @param telling meters that could tell the voltage
 */
export function verdictOf(
  findings: readonly Finding[],
  routes: readonly Route[],
  answered: ReadonlySet<string>,
  telling: ReadonlySet<string>,
): Verdict {
  const cause = findings.find(stops);
  if (cause) return { verdict: 'cause', cause: cause.fault, cause_device: cause.device_id, not_known: [] };
  const silent = routes.flatMap(({ breakers, meters }) => [
    ...breakers.filter((id) => !answered.has(id)),
    ...(meters.some((id) => telling.has(id)) ? [] : meters),
  ]);
  const measured = routes.every(({ meters }) => meters.length > 0);
  const verdict = silent.length === 0 && measured && routes.length > 0 ? 'ok' : 'unknown';
  return { verdict, cause: null, cause_device: null, not_known: [...new Set(silent)] };
}

/** Stands in `skipped` where no meter sees what a breaker lets through. */
export const NOT_MEASURED = 'not_measured_below';

/**
 * Breakers without a meter of their own below the lowest meter of their route that could tell the voltage: they say
 * that they are closed, and a phase that is lost in or below them shows nowhere. Pure.
 */
export function notMeasured(
  routes: readonly Route[],
  places: readonly ChainPlace[],
  telling: ReadonlySet<string>,
): Skipped[] {
  const meters = places.filter(({ role }) => role === 'meter');
  const meterOf = (breaker: string, known: readonly ChainPlace[]): ChainPlace | undefined =>
    known.find(({ path }) => path[0] === breaker);
  const told = meters.filter(({ id }) => telling.has(id));
  const skipped = routes.flatMap(({ breakers }) => {
    const lowest = breakers.findIndex((breaker) => meterOf(breaker, told));
    const upper = meterOf(breakers[lowest] ?? '', told);
    return breakers
      .slice(0, Math.max(0, lowest))
      .filter((breaker) => !meterOf(breaker, meters))
      .map(
        (device_id): Skipped => ({ rule: NOT_MEASURED, device_id, reason: `the next meter is ${upper?.id} above it` }),
      );
  });
  return skipped.filter((one, index) => skipped.findIndex(({ device_id }) => device_id === one.device_id) === index);
}

/** What stops equipment before what does not; within each the order stays, uppermost first. */
export const causesFirst = (findings: readonly Finding[]): Finding[] => [
  ...findings.filter(stops),
  ...findings.filter((finding) => !stops(finding)),
];

function stops({ fault, severity }: Finding): boolean {
  const { stops_from } = FAULTS[fault];
  return stops_from !== undefined && SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(stops_from);
}
