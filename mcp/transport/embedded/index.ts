/**
 * The transport of one process: bus and liveness in memory, log and view stores in LevelDB under one data directory.
 *
 * Invariants:
 *  1. One process holds a data directory; the lock of a dead one is taken over, also when its pid was given away.
 *  2. An append is answered only after its batch is synced; one batch is in flight, the rest joins the next.
 *  3. Compare-and-swap is decided in order of arrival, against records that are certainly written.
 *  4. After a failed write the medium is reopened and its heads are read again before the next append.
 *  5. A view store lies in `<data directory>/<component>/<slot>`, the log in `<data directory>/log`,
 *     its signed heads in `<data directory>/heads`.
 */
export { type DataDirLock, lockDataDir } from './data-dir-lock.js';
export { diskSpace } from './disk-space.js';
export { openLevelStore } from './level-store.js';
export { type EmbeddedOptions, openEmbedded } from './open-embedded.js';
export { discardLogs, restoreLogs } from './restore-logs.js';
export { createViewStores, type ViewStores } from './view-stores.js';
