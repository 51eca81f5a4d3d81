import { connect, type NatsConnection, nkeyAuthenticator, type Status } from '@nats-io/transport-node';
import type { Cancel, Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { Random } from '../../../shared/random.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { messageOf } from './failure.js';

/** What can happen to a connection, as the metric `hermes.bus.faults` counts it. */
export type BusFault =
  | 'disconnected'
  | 'rebuilt'
  | 'permission_denied'
  | 'server_error'
  | 'unsent'
  | 'stalled'
  | 'foreign_record';

export interface LineOptions {
  /** `calls`, `jetstream` or `liveness`: names the connection in logs, metrics and on the server. */
  readonly name: string;
  readonly component: string;
  readonly url: string;
  readonly inboxPrefix: string;
  readonly nkeySeed?: string | undefined;
  readonly caFile?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly fault: (kind: BusFault) => void;
}

/**
 * One connection to the servers, kept up for ever.
 *
 * It reconnects by itself; should the client give up, another is built in its place and everybody is told, since only
 * a reconnecting client brings its subscriptions back.
 */
export interface Line {
  readonly connected: boolean;
  /** @throws HermesError `not_ready` while there is no connection: nothing is left to the client's buffer. */
  connection(): NatsConnection;
  /** Runs after each return of the connection; `fresh`: the client is a new one and knows no subscription. */
  onUp(run: (connection: NatsConnection, fresh: boolean) => void): Cancel;
  onDown(run: () => void): Cancel;
  close(): Promise<void>;
}

const RETRY_FIRST_MS = 500;
const RETRY_MAX_MS = 10_000;
const PING_MS = 10_000;
/** Two unanswered pings and the connection is a dead one. */
const PINGS_OUT = 2;
/** The client's default of 20 s would hold a handshake with a black hole that long. */
const CONNECT_TIMEOUT_MS = 3_000;
/** How long a server may take to come up before opening fails. */
const FIRST_PATIENCE_MS = 10_000;
const CLOSE_MS = 2_000;

/** @throws HermesError `log_unavailable` when no server answers in 10 s, `not_allowed` when it refuses the identity. */
export async function openLine(options: LineOptions): Promise<Line> {
  const line = new SupervisedLine(options);
  await line.open();
  return line;
}

class SupervisedLine implements Line {
  connected = false;
  private current: NatsConnection | undefined;
  private attempts = 0;
  private readonly closing = new AbortController();
  private readonly up = new Set<(connection: NatsConnection, fresh: boolean) => void>();
  private readonly down = new Set<() => void>();

  constructor(private readonly options: LineOptions) {}

  async open(): Promise<void> {
    const { clock, url } = this.options;
    const until = clock.monotonic() + FIRST_PATIENCE_MS;
    for (;;) {
      try {
        this.adopt(await this.dial(), false);
        return;
      } catch (thrown) {
        if (isRefused(thrown)) throw refused(thrown, this.options);
        if (clock.monotonic() >= until) {
          const suggestion = `start nats-server with JetStream (-js), or check the address ${url}`;
          const message = `no NATS server answers at ${url}: ${messageOf(thrown)}`;
          throw new HermesError('log_unavailable', message, { suggestion, unknown: false }, { cause: thrown });
        }
        await clock.sleep(RETRY_FIRST_MS / 2);
      }
    }
  }

  connection(): NatsConnection {
    if (this.connected && this.current && !this.current.isClosed()) return this.current;
    const { name } = this.options;
    throw new HermesError('not_ready', `the connection to the broker is down (${name})`, { started: false });
  }

  onUp(run: (connection: NatsConnection, fresh: boolean) => void): Cancel {
    this.up.add(run);
    return () => this.up.delete(run);
  }

  onDown(run: () => void): Cancel {
    this.down.add(run);
    return () => this.down.delete(run);
  }

  async close(): Promise<void> {
    if (this.closing.signal.aborted) return;
    this.closing.abort();
    this.connected = false;
    this.tellDown();
    const { current } = this;
    if (!current) return;
    // A client that is dialling may take its time to notice.
    await Promise.race([current.close().catch((thrown: unknown) => this.note(thrown)), this.expired(CLOSE_MS)]);
  }

  private expired(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.options.clock.timer(ms, resolve);
    });
  }

  private dial(): Promise<NatsConnection> {
    const { url, name, component, inboxPrefix, nkeySeed, caFile } = this.options;
    return connect({
      servers: url.split(',').map((server) => server.trim()),
      name: `${component} ${name}`,
      inboxPrefix,
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      pingInterval: PING_MS,
      maxPingOut: PINGS_OUT,
      timeout: CONNECT_TIMEOUT_MS,
      noAsyncTraces: true,
      reconnectDelayHandler: () => this.delay(),
      ...(nkeySeed ? { authenticator: nkeyAuthenticator(new TextEncoder().encode(nkeySeed)) } : {}),
      ...(caFile ? { tls: { caFile } } : {}),
    });
  }

  /** Half of it is chance, so that a whole site does not come back in one instant. */
  private delay(): number {
    const top = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(this.attempts, 10));
    return RETRY_FIRST_MS / 2 + (top - RETRY_FIRST_MS / 2) * this.options.random.float();
  }

  private adopt(connection: NatsConnection, fresh: boolean): void {
    if (this.closing.signal.aborted) {
      void connection.close();
      return;
    }
    this.current = connection;
    this.connected = true;
    this.attempts = 0;
    this.watch(connection).catch((thrown: unknown) => this.note(thrown));
    connection
      .closed()
      .then((error) => this.rebuild(connection, error))
      .catch((thrown: unknown) => this.note(thrown));
    if (fresh) this.tellUp(connection, true);
  }

  private async watch(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (connection === this.current && !this.closing.signal.aborted) this.onStatus(connection, status);
    }
  }

  private onStatus(connection: NatsConnection, status: Status): void {
    const { logger, fault, name } = this.options;
    if (status.type === 'disconnect') {
      this.attempts = 0;
      this.lost(`from ${status.server}`);
    } else if (status.type === 'reconnecting') {
      this.attempts++;
    } else if (status.type === 'reconnect') {
      this.connected = true;
      this.attempts = 0;
      logger.info({ connection: name, server: status.server }, 'the broker is back');
      this.tellUp(connection, false);
    } else if (status.type === 'error') {
      const denied = status.error.name === 'PermissionViolationError';
      fault(denied ? 'permission_denied' : 'server_error');
      const fields = { connection: name, detail: status.error.message };
      if (denied) logger.error(fields, 'the broker does not permit this: check the NATS configuration');
      else logger.warn(fields, 'the broker reports an error');
    }
  }

  private lost(detail: string): void {
    if (!this.connected) return;
    this.connected = false;
    this.options.fault('disconnected');
    this.options.logger.warn({ connection: this.options.name, detail }, 'the connection to the broker is lost');
    this.tellDown();
  }

  /** The client gave up. */
  private async rebuild(old: NatsConnection, error: unknown): Promise<void> {
    const { signal } = this.closing;
    if (signal.aborted || old !== this.current) return;
    this.lost(messageOf(error));
    for (this.attempts = 1; !signal.aborted; this.attempts++) {
      await this.options.clock.sleep(this.delay(), signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const connection = await this.dial();
        this.options.fault('rebuilt');
        this.options.logger.warn({ connection: this.options.name }, 'the connection to the broker was built anew');
        this.adopt(connection, true);
        return;
      } catch (thrown) {
        this.note(thrown);
      }
    }
  }

  private tellUp(connection: NatsConnection, fresh: boolean): void {
    for (const run of [...this.up]) this.tell(() => run(connection, fresh));
  }

  private tellDown(): void {
    for (const run of [...this.down]) this.tell(run);
  }

  private tell(run: () => void): void {
    try {
      run();
    } catch (thrown) {
      this.note(thrown);
    }
  }

  private note(thrown: unknown): void {
    const { logger, name } = this.options;
    logger.warn({ connection: name, detail: messageOf(thrown) }, 'the connection to the broker has trouble');
  }
}

const isRefused = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'AuthorizationError';

function refused(thrown: unknown, { component, url }: LineOptions): HermesError {
  const suggestion = `give ${component} the NKey seed that \`hermes nats config\` made for it`;
  const message = `the NATS server at ${url} refuses ${component}: ${messageOf(thrown)}`;
  return new HermesError('not_allowed', message, { suggestion }, { cause: thrown });
}
