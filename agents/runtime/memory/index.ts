/**
 * Memory: snapshots of state by scope, versioned, permissioned, expiring.
 *  1. Rights are checked on the whole scope string, deny by default, inside tools too; a refusal leaves an entry.
 *  2. `strong` waits until the view has applied the log's last entry of the scope; `eventual` answers from the view.
 *  3. Nothing is written here: snapshots come with their operation's entry.
 *  4. What has expired leaves the hot view; the log is the archive.
 */
export {
  checkScope,
  DEFAULT_ROLES,
  patternProblem,
  type RoleRights,
  type Roles,
  reaches,
} from './access.js';
export type { MemoryProblem } from './check.js';
export type { FieldChange } from './field-changes.js';
export { createMemoryGuard, type MemoryGuard, type MemoryUse } from './guard.js';
export { isLive, liveVersions } from './life.js';
export { type Consistency, createMemory, type Memory, type ReadHow } from './memory.js';
export { createNamedWriters } from './named-writers.js';
export { createRefusals, type Refusals } from './refusals.js';
export { type KindSize, overLimit, type SnapshotStats, statsOf } from './stats.js';
export { openUpkeep, type Upkeep } from './upkeep.js';
