/**
 * The record: what happened, in one log a tenant, one hash chain a scope; everything else is a projection of it.
 *  1. One append is one entry; a snapshot stands in the entry of the operation that made it.
 *  2. Chains are linear and versions gapless, by compare-and-swap on the scope's subject.
 *  3. Values in log and view are sealed (AES-256-GCM) and bound to tenant and place.
 *  4. A view can be deleted at any time and comes back equal.
 */
export { type Access, type AccessLog, createAccessLog } from './access-log.js';
export { checkLog, type LogCheck } from './check-log.js';
export { type ComponentKey, componentKeys, publishKey } from './component-keys.js';
export { type DataKeys, readDataKeys, rewrapDataKeys, rotateDataKey } from './data-keys.js';
export {
  CHAIN_START,
  type Effect,
  ENTRY_KINDS,
  type Entry,
  type EntryDraft,
  type EntryKind,
  entryHash,
  type RollbackRecord,
  type Snapshot,
  type SnapshotDraft,
  type StoredEntry,
  verifyChain,
} from './entry.js';
export type { Evicted } from './eviction.js';
export { createRecord, type RecordBook, type RecordOptions, readEntry, type ScopeHead } from './record.js';
export { createRetention, RETENTION, type Retention, type RetentionPolicy } from './retention.js';
export { foldScope, parseScope, type ScopeOf, scopeKind, scopes } from './scopes.js';
export { type FoundSecret, findSecrets, withoutSecrets } from './secrets.js';
export { openVault, type Vault, type VaultDeps } from './vault.js';
export { openView, type View } from './view.js';
export type { OperationRow, Projection } from './view-rows.js';
