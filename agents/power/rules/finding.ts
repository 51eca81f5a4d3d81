import { z } from 'zod';
import { FAULT_CODES, FAULTS, type FaultCode, SEVERITIES } from '../faults.js';
import type { Found } from './judgement.js';
import type { Seen } from './look.js';

/** One thing that is wrong, with its proof. The same shape as other agents' findings: a work order takes either. */
export const findingSchema = z.object({
  fault: z.enum(FAULT_CODES),
  /** Where it shows: a breaker or a meter. */
  device_id: z.string(),
  rule: z.string(),
  severity: z.enum(SEVERITIES),
  /** 0 to 1. */
  confidence: z.number(),
  /** When it was first seen by this check, ISO 8601; how long it had lasted is not known. */
  since: z.string(),
  /** `<device>.<point>` → value in the unit of the point; numbers that were worked out of them by name. */
  evidence: z.record(z.string(), z.union([z.number(), z.boolean(), z.string()])),
  limit: z.object({ min: z.number().optional(), max: z.number().optional(), unit: z.string() }).optional(),
  standard: z.string().optional(),
  recommendation: z.object({ zh: z.string(), en: z.string() }),
  skills: z.array(z.string()),
});
export type Finding = z.output<typeof findingSchema>;

/** A finding of points that were read. */
export function findingOf(seen: Seen, fault: FaultCode, { severity, points, derived, limit }: Found): Finding {
  const values = seen.looks.at(-1)?.values ?? {};
  const read = points.flatMap((point): [string, number | boolean][] => {
    const value = values[point];
    return value === undefined ? [] : [[`${seen.id}.${point}`, rounded(value)]];
  });
  const worked = Object.entries(derived ?? {}).map(([name, value]) => [`${seen.id}.${name}`, rounded(value)]);
  return {
    ...told(seen.id, fault),
    severity,
    since: new Date(seen.looks[0]?.at ?? 0).toISOString(),
    evidence: Object.fromEntries([...read, ...worked]),
    ...(limit ? { limit: { ...limit, ...roundedLimit(limit) } } : {}),
  };
}

/** A meter that does not answer. */
export const unreachableFinding = (id: string, cause: string, at: number): Finding => ({
  ...told(id, 'meter_unreachable'),
  severity: 'medium',
  since: new Date(at).toISOString(),
  evidence: { [`${id}.cause`]: cause },
});

/** A meter whose values do not move. */
export const staleFinding = (seen: Seen): Finding =>
  findingOf(seen, 'meter_stale', { is: 'found', severity: 'medium', points: Object.keys(seen.looks[0]?.values ?? {}) });

function told(device_id: string, fault: FaultCode) {
  const { rule, confidence, standard, recommendation, skills } = FAULTS[fault];
  return { fault, device_id, rule, confidence, ...(standard ? { standard } : {}), recommendation, skills: [...skills] };
}

const rounded = <T extends number | boolean>(value: T): T =>
  (typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value) as T;

const roundedLimit = ({ min, max }: { min?: number; max?: number }) => ({
  ...(min === undefined ? {} : { min: rounded(min) }),
  ...(max === undefined ? {} : { max: rounded(max) }),
});
