import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Line } from './line.js';

/** JetStream on a line, for whichever client the line has at the moment. */
export interface Jet {
  /** @throws HermesError `not_ready` while the line is down. */
  client(): JetStreamClient;
  /** @throws HermesError `not_ready` while the line is down. */
  manager(): Promise<JetStreamManager>;
}

/** An election takes four to seven seconds; an append does not wait for its end, its caller tries again. */
const ANSWER_MS = 5_000;

interface Clients {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: Promise<JetStreamManager>;
}

export function createJet(line: Line, timeout = ANSWER_MS): Jet {
  let known: Clients | undefined;
  const clients = (): Clients => {
    const connection = line.connection();
    if (known?.connection !== connection) {
      // Not asked for its limits: that would need one more permission.
      const options = { timeout, checkAPI: false };
      known = { connection, client: jetstream(connection, options), manager: jetstreamManager(connection, options) };
    }
    return known;
  };
  return { client: () => clients().client, manager: async () => clients().manager };
}
