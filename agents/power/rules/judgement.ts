import { type FaultCode, SEVERITIES, type Severity } from '../faults.js';
import type { Look, Seen } from './look.js';

/** The bound that was broken, in the unit of its points. */
export interface Limit {
  readonly min?: number;
  readonly max?: number;
  readonly unit: string;
}

/** What one rule says of one look. */
export type Judgement =
  | { readonly is: 'fine' }
  | { readonly is: 'unjudged'; readonly reason: string }
  | {
      readonly is: 'found';
      readonly severity: Severity;
      /** Points that prove it. */
      readonly points: readonly string[];
      /** Numbers that were worked out of them, by name. */
      readonly derived?: Readonly<Record<string, number>>;
      readonly limit?: Limit;
    };

export interface Rule {
  readonly fault: FaultCode;
  judge(look: Look): Judgement;
}

export type Found = Extract<Judgement, { is: 'found' }>;

export const FINE: Judgement = { is: 'fine' };
export const unjudged = (reason: string): Judgement => ({ is: 'unjudged', reason });

/** The point of a set that could not be read, as a reason not to judge. */
export function unreadable(look: Look, points: readonly string[]): Judgement | undefined {
  const point = points.find((name) => name in look.missing);
  return point === undefined ? undefined : unjudged(`${point} could not be read: ${look.missing[point]}`);
}

/**
 * One rule over all looks: found only when each look shows it, with the mildest severity of them and the evidence of
 * the last. A moment's value is no fault.
 */
export function overLooks(rule: Rule, { looks }: Seen): Judgement {
  const said = looks.map((look) => rule.judge(look));
  const doubt = said.find((one) => one.is === 'unjudged');
  if (doubt) return doubt;
  const found = said.filter((one): one is Found => one.is === 'found');
  const last = found.at(-1);
  if (!last) return FINE;
  if (found.length < looks.length) return unjudged(`shown by ${found.length} of ${looks.length} looks`);
  const mildest = Math.min(...found.map(({ severity }) => SEVERITIES.indexOf(severity)));
  return { ...last, severity: SEVERITIES[mildest] as Severity };
}
