import type { Bus } from './bus.js';
import type { Capture } from './capture.js';
import type { Liveness } from './liveness.js';
import type { Log } from './log.js';
import type { Store } from './store.js';

/** What a broker carries; each may be away while the others are there. */
export type TransportPart = 'bus' | 'log' | 'presence';

/** What a component gets of the outside: one set for each, so that it can be taken away from it alone. */
export interface Transport {
  readonly kind: 'embedded' | 'nats' | 'sim';
  /** False while a broker cannot be reached: calls and appends fail at once with a retryable reason. */
  readonly connected: boolean;
  /** Parts whose broker cannot be reached. */
  readonly away: readonly TransportPart[];
  readonly bus: Bus;
  readonly log: Log;
  /** Signed heads of the log's scopes: a log of its own, so that who could rewrite the one cannot rewrite the other. */
  readonly heads: Log;
  /** What the log has lost, in words: it is read, and takes nothing. */
  readonly damage?: string;
  readonly liveness: Liveness;
  /** What is said on the bus, for the journal. */
  readonly capture: Capture;
  /**
   * The key-value store of one component's view, in the first free slot.
   * @throws HermesError `log_unavailable` with `data.corrupt: true` when its files are damaged: open it again with
   * `discardCorrupt` and rebuild it from the log.
   */
  openStore(component: string, options?: OpenStoreOptions): Promise<Store>;
  /** Makes an instance known to the broker's own tools (`nats micro`), where there is a broker. */
  announce?(service: ServiceDescription): { stop(): Promise<void> };
  /** Space for log and views, where they are on a disk of this machine. */
  space?(): Promise<DiskSpace>;
  close(): Promise<void>;
}

export interface DiskSpace {
  readonly path: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** An instance as PING, INFO and STATS of NATS micro services show it; each instance answers them for itself. */
export interface ServiceDescription {
  /** Queue group of the component, `plc_controller_v1`: letters, digits, _ and -. */
  readonly name: string;
  /** `MAJOR.MINOR` of the component; shown as semantic version. */
  readonly version: string;
  readonly description?: string;
  /** Instance, tenant and the like. */
  readonly metadata?: Readonly<Record<string, string>>;
}

export interface OpenStoreOptions {
  /** Damaged files are thrown away and the store begins empty. */
  readonly discardCorrupt?: boolean;
}
