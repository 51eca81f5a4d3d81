import { z } from 'zod';
import type { Memory } from '../memory/index.js';
import { type BuiltinMethods, paramsOf, readHow } from './builtin-method.js';

const paged = z.object({
  scope: z.string().min(1),
  from_n: z.number().int().positive().optional(),
  limit: z.number().int().min(1).max(500).optional(),
});

/** What every agent answers about its record. */
export function auditMethods(memory: Memory): BuiltinMethods {
  return [
    [
      'audit_query',
      async (call) => {
        const { scope, from_n, limit = 200 } = paramsOf(paged, call);
        const entries = await memory.audit(scope, { ...readHow(call), limit, ...(from_n ? { fromN: from_n } : {}) });
        const last = entries[entries.length - 1];
        return { entries, ...(last && entries.length === limit ? { next: last.n + 1 } : {}) };
      },
    ],
  ];
}
