import type { Random } from '../../shared/random.js';
import type { ComponentId } from '../protocol/component-id.js';
import type { Candidate } from './presence.js';

export interface Choosing {
  readonly asked: ComponentId;
  /** Instances that this call was at already, in vain. */
  readonly avoid: ReadonlySet<string>;
  /** Instance that owns the call's actor key, as far as this caller has learnt. */
  readonly owner: string | undefined;
  readonly load: (instance: string) => number;
  readonly random: Random;
}

/**
 * The instance to ask: the owner of the call's key if it can serve, else the less loaded of two drawn at random
 * (Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", 2001). Only ready ones of the asked major
 * and at least the asked minor count. Undefined: presence knows none that this call has not been at.
 */
export function chooseInstance(candidates: readonly Candidate[], choosing: Choosing): string | undefined {
  const { avoid, owner, load, random } = choosing;
  let first: string | undefined;
  let rest: string[] | undefined;
  for (const candidate of candidates) {
    if (candidate.state !== 'ready' || !fits(candidate, choosing.asked) || avoid.has(candidate.instance)) continue;
    if (candidate.instance === owner) return owner;
    if (first === undefined) first = candidate.instance;
    else if (rest === undefined) rest = [candidate.instance];
    else rest.push(candidate.instance);
  }
  if (first === undefined || rest === undefined) return first;
  const all = [first, ...rest];
  const one = random.int(all.length);
  const other = (one + 1 + random.int(all.length - 1)) % all.length;
  const [a, b] = [all[one] as string, all[other] as string];
  return load(b) < load(a) ? b : a;
}

/** Same major, minor at least as high as asked. */
export const fits = (candidate: Candidate, asked: ComponentId): boolean =>
  candidate.major === asked.major && candidate.minor >= asked.minor;
