import type { Bus } from './bus.js';
import type { Capture } from './capture.js';
import type { Liveness } from './liveness.js';
import type { Log } from './log.js';
import type { Store } from './store.js';

/** What a component gets of the outside: one set for each, so that it can be taken away from it alone. */
export interface Transport {
  readonly kind: 'embedded' | 'nats' | 'sim';
  readonly bus: Bus;
  readonly log: Log;
  readonly liveness: Liveness;
  /** What is said on the bus, for the journal. */
  readonly capture: Capture;
  /**
   * The key-value store of one component's view, in the first free slot.
   * @throws HermesError `log_unavailable` with `data.corrupt: true` when its files are damaged: open it again with
   * `discardCorrupt` and rebuild it from the log.
   */
  openStore(component: string, options?: OpenStoreOptions): Promise<Store>;
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  /** Damaged files are thrown away and the store begins empty. */
  readonly discardCorrupt?: boolean;
}
