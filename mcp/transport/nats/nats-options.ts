import type { Clock } from '../../../shared/clock.js';
import type { Random } from '../../../shared/random.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Metrics } from '../../../shared/telemetry/metrics.js';

/** What a process needs to be on a NATS network. Three connections are made of it: calls, JetStream, liveness. */
export interface NatsOptions {
  /** One server or several, comma-separated: `nats://127.0.0.1:4222`. */
  readonly url: string;
  readonly tenant: string;
  /** Who connects, without version: names the connections and their inboxes. */
  readonly component: string;
  /** Where views are kept, one slot a process. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** NKey seed of this component's user; unset on a server without authentication. */
  readonly nkeySeed?: string;
  /** PEM file of the authority that signed the servers' certificates; unset = no TLS. */
  readonly caFile?: string;
  /** Replicas of the streams if this process makes them. Default 1. */
  readonly replicas?: number;
  /** Default 5 s and 1 s. */
  readonly ttlMs?: number;
  readonly renewMs?: number;
}
