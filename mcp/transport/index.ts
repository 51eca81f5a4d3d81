/**
 * What carries everything between components: bus, log, liveness, and the store under a projection.
 *
 * Invariants (each contract numbers its own; the contract suites hold them on every transport):
 *  1. A component sees contracts only; `openTransport` alone knows which implementation is behind them.
 *  2. The log is the only durable truth; a store can be lost and rebuilt from it.
 *  3. Everything that waits, waits on the injected clock.
 */
export {
  BACKUP_FORMAT,
  type BackupEnd,
  type BackupHead,
  type BackupPart,
  backupLines,
  readBackup,
} from './backup/index.js';
export type { Bus, BusHandler, BusMessage, PublishOptions, SubscribeOptions, Subscription } from './bus.js';
export type { Capture, CapturedMessage } from './capture.js';
export {
  type DataDirLock,
  discardLogs,
  type EmbeddedOptions,
  lockDataDir,
  openEmbedded,
  openLevelStore,
  restoreLogs,
} from './embedded/index.js';
export type { FaultyDoors } from './faulty-doors.js';
export { faultyTransport } from './faulty-transport.js';
export type { Liveness, Member, MemberChange, Membership } from './liveness.js';
export type { Appended, AppendOptions, Log, LogRecord, ReadOptions, Tail } from './log.js';
export {
  type InitStreamsOptions,
  initNatsStreams,
  type NatsOptions,
  type NatsPermissions,
  type NatsRole,
  type NatsUser,
  natsPermissions,
  natsUser,
} from './nats/index.js';
export {
  type OpenStoreOptions,
  type OpenTransports,
  openTransport,
  type ServiceDescription,
  type Transport,
  type TransportOptions,
} from './open-transport.js';
export {
  createMemorySlot,
  type LatencyRange,
  type MemorySlot,
  openSim,
  type SimConnection,
  type SimControls,
  type SimOptions,
} from './sim/index.js';
export { prefixRange, type Store, type StoreChange, type StoreRange } from './store.js';
export { checkSubject, compilePattern, isSubject, type SubjectPattern } from './subject-pattern.js';
export type { DiskSpace } from './transport.js';
export { type PartHealth, type TransportHealth, transportHealth } from './transport-health.js';
