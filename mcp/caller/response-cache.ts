import type { Response } from '../protocol/envelope.js';
import type { CallSpec } from './call-spec.js';

/** Good results kept of one circuit: one for each of the last few questions. */
const KEPT = 4;

interface Kept {
  readonly spec: CallSpec;
  readonly response: Response;
  readonly at: number;
}

/**
 * Last good results of reads, for while the circuit is open. A result answers the same question by the same principal
 * only; a strong read is never answered from here. Keeping costs two references; comparing is left for the open
 * circuit.
 */
export interface ResponseCache {
  keep(spec: CallSpec, response: Response, at: number): void;
  /** The answer again, with `degraded` and `cached_at`. */
  find(spec: CallSpec): Response | undefined;
}

export function createResponseCache(): ResponseCache {
  const kept: Kept[] = [];
  let next = 0;
  return {
    keep(spec, response, at) {
      if (spec.reads !== true || spec.consistency === 'strong') return;
      kept[next] = { spec, response, at };
      next = (next + 1) % KEPT;
    },
    find(spec) {
      if (spec.reads !== true || spec.consistency === 'strong') return undefined;
      const asked = question(spec);
      const same = kept.filter((one) => question(one.spec) === asked).sort((a, b) => b.at - a.at)[0];
      if (!same) return undefined;
      return { ...structuredClone(same.response), degraded: true, cached_at: same.at };
    },
  };
}

const question = ({ params, principal, instance }: CallSpec): string =>
  JSON.stringify([params, principal, instance], (_key, value: unknown) => sorted(value));

const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
