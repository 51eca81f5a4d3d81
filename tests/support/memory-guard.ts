import { createMemoryGuard, type MemoryGuard, type Refusals, type Roles } from '../../agents/runtime/memory/index.js';

/** A guard whose refusals are only collected. */
export function guardOf(roles: Roles): MemoryGuard & { readonly refused: string[] } {
  const refused: string[] = [];
  const refusals: Refusals = {
    note: async ({ principal, what, scope }) => refused.push(`${principal.id} ${what} ${String(scope)}`) > 0,
    flush: async () => undefined,
  };
  return { ...createMemoryGuard({ roles, refusals, writers: { of: async () => [] } }), refused };
}
