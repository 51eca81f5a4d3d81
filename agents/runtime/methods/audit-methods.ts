import { z } from 'zod';
import { componentName } from '../../../mcp/index.js';
import { type Audit, givenPartsSchema } from '../audit/index.js';
import { type BuiltinMethods, paramsOf, readHow } from './builtin-method.js';

const at = z.number().int().nonnegative().optional();
const searched = z.object({
  scope: z.string().min(1),
  from_n: z.number().int().positive().optional(),
  limit: z.number().int().min(1).max(500).default(200),
  from: at,
  to: at,
  principal: z.string().max(128).optional(),
  goal: z.string().max(64).optional(),
  outcome: z.enum(['confirmed', 'failed', 'unknown']).optional(),
});
const exported = z.object({ scope: z.string().min(1), from: at, to: at });
const sealed = givenPartsSchema.extend({ export_id: z.string().min(1).max(64) });
const fetched = z.object({ export_id: z.string().min(1).max(64), index: z.number().int().min(0) });

/** What every agent answers about its record. */
export function auditMethods(audit: Audit): BuiltinMethods {
  return [
    ['audit_query', async (call) => audit.search(paramsOf(searched, call), readHow(call))],
    ['audit_export', async (call) => audit.prepare(paramsOf(exported, call), readHow(call))],
    [
      'audit_seal',
      async (call) => {
        const { export_id, ...given } = paramsOf(sealed, call);
        return audit.seal(export_id, readHow(call).principal, given, componentName(call.request.caller));
      },
    ],
    [
      'audit_piece',
      async (call) => {
        const { export_id, index } = paramsOf(fetched, call);
        return { piece: audit.piece(export_id, index, readHow(call).principal) };
      },
    ],
  ];
}
