import { z } from 'zod';
import { invalidParams } from '../../../shared/errors.js';
import { entryHash, type StoredEntry } from '../record/index.js';
import type { GoalTimeline } from './audit-package.js';

const stage = z.looseObject({ name: z.string(), start_unix_ms: z.number(), ms: z.number() });
const timeline = z.object({ goal_id: z.string(), trace_id: z.string().optional(), stages: z.array(stage) });
const approval = z.looseObject({ kind: z.literal('approval'), tenant: z.string(), hash: z.string() });

/** What another component adds to a package: the home of a scope does not know all of the goals that touched it. */
export const givenPartsSchema = z.object({
  approvals: z.array(approval).max(10_000).default([]),
  trace: z.array(timeline).max(1_000).default([]),
});
export type GivenParts = z.output<typeof givenPartsSchema>;

export const NOTHING_GIVEN: GivenParts = { approvals: [], trace: [] };

/**
 * Approvals that are whole: of this tenant, each with the hash of what it says. Where they stand in their own chain is
 * for a package of that scope to show. @throws HermesError `invalid_params` naming one that is not.
 */
export function givenApprovals({ approvals }: GivenParts, tenant: string): StoredEntry[] {
  for (const [index, entry] of approvals.entries()) {
    if (entry.tenant === tenant && hashOf(entry) === entry.hash) continue;
    const problem = 'is not whole, or of another tenant';
    throw invalidParams(`approval ${index} ${problem}`, [{ pointer: `/params/approvals/${index}`, problem }]);
  }
  return approvals as unknown as StoredEntry[];
}

export const givenTimelines = ({ trace }: GivenParts, by: string): GoalTimeline[] =>
  trace.map((one) => ({ ...(one as unknown as Omit<GoalTimeline, 'by'>), by }));

function hashOf(entry: GivenParts['approvals'][number]): string | undefined {
  try {
    return entryHash(entry as unknown as StoredEntry);
  } catch {
    return undefined;
  }
}
