import { LIMITS } from '../../../shared/limits.js';
import { subjects } from '../../protocol/subjects.js';
import { createViewStores, diskSpace } from '../embedded/index.js';
import type { Transport, TransportPart } from '../transport.js';
import { createJet } from './jet.js';
import { type BusFault, type Line, openLine } from './line.js';
import { createNatsBus } from './nats-bus.js';
import { createNatsCapture } from './nats-capture.js';
import { type NatsLiveness, openNatsLiveness } from './nats-liveness.js';
import { NatsLog } from './nats-log.js';
import type { NatsOptions } from './nats-options.js';
import { announceService } from './services.js';
import { ensureStream, headsPlan, headsStream, livePlan, logPlan, logStream } from './streams.js';

const PARTS: readonly TransportPart[] = ['bus', 'log', 'presence'];

interface Lines {
  readonly calls: Line;
  readonly jetstream: Line;
  readonly liveness: NatsLiveness;
}

/**
 * A component on a NATS network, over three connections: calls, JetStream, liveness.
 * @throws HermesError `log_unavailable` when no server answers or a stream is missing; `not_allowed` when the server
 * refuses the identity.
 */
export async function openNats(options: NatsOptions): Promise<Transport> {
  const { clock, logger, metrics, dataDir, tenant } = options;
  const lines = await openLines(options);
  const { calls, jetstream, liveness } = lines;
  const bus = createNatsBus({ line: calls, logger, metrics, fault: faultsOf(options, 'calls') });
  const fault = faultsOf(options, 'jetstream');
  const feeds = { line: jetstream, jet: createJet(jetstream), clock, logger, fault };
  const log = new NatsLog(feeds, logStream(tenant));
  const heads = new NatsLog(feeds, headsStream(tenant));
  const make = options.nkeySeed === undefined;
  const stores = createViewStores(dataDir);
  let closing: Promise<void> | undefined;
  const shutDown = async (): Promise<void> => {
    await liveness.close();
    await bus.close();
    await Promise.all([log.close(), heads.close()]);
    try {
      await stores.close();
    } finally {
      await Promise.all([calls.close(), jetstream.close()]);
    }
  };
  const parts = { bus: calls, log: jetstream, presence: liveness };
  const away = (): TransportPart[] => PARTS.filter((part) => !parts[part].connected);
  return {
    kind: 'nats',
    get connected() {
      return away().length === 0;
    },
    get away() {
      return away();
    },
    bus,
    log,
    heads,
    liveness,
    capture: createNatsCapture({ ...feeds, tenant, replicas: options.replicas, make }),
    announce: (service) => announceService(calls, service, logger),
    openStore: stores.open,
    space: () => diskSpace(dataDir),
    close() {
      closing ??= shutDown();
      return closing;
    },
  };
}

/** Counts by connection and kind. */
const faultsOf =
  ({ metrics }: NatsOptions, connection: string) =>
  (kind: BusFault): void =>
    metrics.count('busFaults', { connection, kind });

async function openLines(options: NatsOptions): Promise<Lines> {
  const { component, tenant, clock, logger } = options;
  const opened: { close(): Promise<void> }[] = [];
  const open = async (name: string, inboxPrefix: string): Promise<Line> => {
    const line = await openLine({ ...options, name, inboxPrefix, fault: faultsOf(options, name) });
    opened.push(line);
    return line;
  };
  try {
    // Answers to requests on this connection are captured like any reply; JetStream must not share it.
    const calls = await open('calls', subjects.replyInbox(tenant, component));
    const jetstream = await open('jetstream', `_INBOX.${component}`);
    await ensureStreams(options, jetstream);
    const doors = { clock, logger, fault: faultsOf(options, 'liveness') };
    const { url, nkeySeed, caFile, ttlMs = LIMITS.livenessTtlMs, renewMs = LIMITS.livenessRenewMs } = options;
    const liveness = await openNatsLiveness(doors, { url, tenant, component, nkeySeed, caFile, ttlMs, renewMs });
    return { calls, jetstream, liveness };
  } catch (thrown) {
    await Promise.all(opened.map((line) => line.close()));
    throw thrown;
  }
}

/** An identity of its own may not make streams: an operator does. */
async function ensureStreams({ tenant, replicas, ttlMs, nkeySeed, clock }: NatsOptions, line: Line): Promise<void> {
  const manager = await createJet(line).manager();
  const make = nkeySeed === undefined;
  for (const plan of [logPlan(tenant, replicas), headsPlan(tenant, replicas), livePlan(tenant, replicas, ttlMs)]) {
    await ensureStream(manager, plan, make, clock);
  }
}
