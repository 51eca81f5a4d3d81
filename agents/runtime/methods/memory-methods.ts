import { z } from 'zod';
import type { Memory } from '../memory/index.js';
import { type BuiltinMethods, paramsOf, readHow } from './builtin-method.js';

const scoped = z.object({ scope: z.string().min(1) });
const versioned = scoped.extend({ version: z.number().int().positive().optional() });
const diffed = scoped.extend({ from: z.number().int().positive(), to: z.number().int().positive() });

/** What every agent answers about its memory. */
export function memoryMethods(memory: Memory): BuiltinMethods {
  return [
    [
      'memory_read',
      async (call) => {
        const { scope, version } = paramsOf(versioned, call);
        return memory.read(scope, { ...readHow(call), ...(version ? { version } : {}) });
      },
    ],
    [
      'memory_history',
      async (call) => ({ versions: await memory.history(paramsOf(scoped, call).scope, readHow(call)) }),
    ],
    [
      'memory_diff',
      async (call) => {
        const { scope, from, to } = paramsOf(diffed, call);
        return { from, to, changes: await memory.diff(scope, from, to, readHow(call)) };
      },
    ],
    [
      'memory_query',
      async (call) => {
        const { session_context_id } = paramsOf(z.object({ session_context_id: z.string().min(1) }), call);
        return { snapshots: await memory.bySession(session_context_id, readHow(call)) };
      },
    ],
  ];
}
