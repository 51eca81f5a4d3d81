/**
 * Memory: snapshots of state by scope, versioned, permissioned, expiring.
 *  1. Rights are checked on the whole scope string, deny by default, inside tools too; a refusal leaves an entry.
 *  2. `strong` waits until the view has applied the log's last entry of the scope; `eventual` answers from the view.
 *  3. Nothing is written here: snapshots come with their operation's entry.
 */
export {
  checkScope,
  DEFAULT_ROLES,
  patternProblem,
  type RoleRights,
  type Roles,
  reaches,
} from './access.js';
export { createMemoryGuard, type MemoryGuard, type MemoryUse } from './guard.js';
export { type Consistency, createMemory, type FieldChange, type Memory, type ReadHow } from './memory.js';
export { createNamedWriters } from './named-writers.js';
export { createRefusals, type Refusals } from './refusals.js';
