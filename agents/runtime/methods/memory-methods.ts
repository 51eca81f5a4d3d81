import { z } from 'zod';
import type { ServedCall } from '../../../mcp/index.js';
import { invalidParams } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { Memory, ReadHow } from '../memory/index.js';
import { type BuiltinMethod, type BuiltinMethods, paramsOf, readHow } from './builtin-method.js';

const version = z.number().int().positive();
const limit = z.number().int().min(1).max(LIMITS.pageRows).optional();
const archive = z.boolean().optional();
const scope = z.string().min(1);
const versioned = z.object({ scope, version: version.optional(), archive });
const paged = z.object({ scope, from_version: version.optional(), limit, archive });
const diffed = z.object({ scope, from: version, to: version, archive });
const instant = z.number().int().nonnegative().optional();
const queried = z.object({
  session_context_id: z.string().min(1).optional(),
  prefix: z.string().min(1).max(LIMITS.scopeChars).optional(),
  from: instant,
  to: instant,
  after: z.string().max(256).optional(),
  limit,
});
const checked = z.object({ scope: scope.optional() });

/** What every agent answers about its memory. */
export function memoryMethods(memory: Memory, component: string): BuiltinMethods {
  return [
    ['memory_read', (call) => readOne(memory, call)],
    [
      'memory_history',
      async (call) => {
        const { scope: of, from_version: fromVersion, ...how } = paramsOf(paged, call);
        return memory.history(of, { ...howOf(call, how), ...defined({ fromVersion, limit: how.limit }) });
      },
    ],
    [
      'memory_diff',
      async (call) => {
        const { scope: of, from, to, ...how } = paramsOf(diffed, call);
        return { from, to, changes: await memory.diff(of, from, to, howOf(call, how)) };
      },
    ],
    ['memory_query', (call) => queryMemory(memory, call)],
    ['memory_stats', async () => ({ component, ...(await memory.stats()) })],
    [
      'memory_check',
      async (call) => ({ component, ...(await memory.check(paramsOf(checked, call).scope, readHow(call))) }),
    ],
  ];
}

const readOne = async (memory: Memory, call: ServedCall): ReturnType<BuiltinMethod> => {
  const { scope: of, version: wanted, ...how } = paramsOf(versioned, call);
  return memory.read(of, { ...howOf(call, how), ...defined({ version: wanted }) });
};

const queryMemory = async (memory: Memory, call: ServedCall): ReturnType<BuiltinMethod> => {
  const { session_context_id: session, ...rest } = paramsOf(queried, call);
  if (session === undefined && rest.prefix === undefined) {
    const problem = 'a session_context_id or a prefix of scopes is needed';
    throw invalidParams(problem, [{ pointer: '/params/session_context_id', problem }]);
  }
  return memory.query(defined({ session, ...rest }), readHow(call));
};

const howOf = (call: ServedCall, asked: { readonly archive?: boolean | undefined }): ReadHow => ({
  ...readHow(call),
  ...(asked.archive ? { archive: true } : {}),
});

/** Without the fields that were left out. */
const defined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
