import type { Cancel, Clock } from '../../../shared/clock.js';
import { raceSignal } from '../../../shared/deadline.js';
import type { LinkAddress } from '../../../shared/device.js';
import { type HermesError, toHermesError } from '../../../shared/errors.js';
import type { Random } from '../../../shared/random.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { type Connection, openConnection } from './connection.js';
import { abortError, causeOf, linkError } from './link-error.js';

export interface ConnectorDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Asked at every attempt: what listens, and where, may start later or move. */
  readonly resolve: () => Promise<LinkAddress>;
}

export interface ConnectorOptions {
  readonly link: string;
  readonly connectTimeoutMs: number;
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
}

export interface Connector {
  readonly state: 'connected' | 'connecting' | 'closed';
  /**
   * The connection, made now if there is none. An attempt keeps a gap to a failed one; when that is
   * later than `timeoutMs` allows, the failure of the last attempt is the answer.
   * @throws HermesError.
   */
  acquire(timeoutMs: number, signal: AbortSignal | undefined): Promise<Connection>;
  close(): void;
}

/** Least time between a failed attempt and one that a request asks for: quick for a person, no storm for a device. */
const DEMAND_GAP_MS = 250;

/**
 * Reconnect state machine. Refused, reset, closed and timed out are all the same event: try again, later each time
 * (×2 from minimum to maximum, with jitter). One attempt at a time, whoever asked for it.
 */
export class LinkConnector implements Connector {
  private current: Connection | undefined;
  private attempt: Promise<Connection> | undefined;
  private closed = false;
  private failures = 0;
  private notBefore = 0;
  private lastFailure: HermesError | undefined;
  private cancelBackground: Cancel = () => undefined;

  constructor(
    private readonly deps: ConnectorDeps,
    private readonly options: ConnectorOptions,
  ) {
    this.scheduleBackground();
  }

  get state(): Connector['state'] {
    if (this.closed) return 'closed';
    return this.current?.alive ? 'connected' : 'connecting';
  }

  async acquire(timeoutMs: number, signal: AbortSignal | undefined): Promise<Connection> {
    const { clock } = this.deps;
    const { link } = this.options;
    if (this.closed) throw linkError('closed', { link, sent: false });
    if (this.current?.alive) return this.current;
    const wait = this.attempt ? 0 : this.notBefore - clock.monotonic();
    if (wait >= timeoutMs) throw this.lastFailure ?? linkError('refused', { link, sent: false });
    return within(clock, link, timeoutMs, signal, async (ended) => {
      if (wait > 0) await clock.sleep(wait, ended);
      return this.connect();
    });
  }

  close(): void {
    this.closed = true;
    this.cancelBackground();
    this.current?.destroy();
  }

  /** The one attempt under way, or a new one. */
  private connect(): Promise<Connection> {
    if (this.current?.alive) return Promise.resolve(this.current);
    this.attempt ??= this.connectOnce()
      .catch((thrown: unknown) => {
        const error = connectError(thrown, this.options.link);
        if (!this.closed) this.failed(error);
        throw error;
      })
      .finally(() => {
        this.attempt = undefined;
      });
    return this.attempt;
  }

  private async connectOnce(): Promise<Connection> {
    const { clock, logger, resolve } = this.deps;
    const { link, connectTimeoutMs } = this.options;
    this.cancelBackground();
    const address = await within(clock, link, connectTimeoutMs, undefined, resolve);
    const onEnd = (connection: Connection) => this.ended(connection);
    const connection = await openConnection({ clock, link, onEnd }, address, connectTimeoutMs);
    if (this.closed) {
      connection.destroy();
      throw linkError('closed', { link, sent: false });
    }
    this.current = connection;
    logger.info({ link, host: address.host, port: address.port }, 'link connected');
    return connection;
  }

  private failed(error: HermesError): void {
    const { clock, logger } = this.deps;
    const { link, backoffMinMs } = this.options;
    this.failures++;
    this.lastFailure = error;
    this.notBefore = clock.monotonic() + Math.min(DEMAND_GAP_MS, backoffMinMs);
    if (this.failures === 1) logger.warn({ link, cause: causeOf(error), err: error.message }, 'link is not connected');
    this.scheduleBackground();
  }

  private ended(connection: Connection): void {
    if (this.current !== connection) return;
    const { link } = this.options;
    this.current = undefined;
    this.deps.logger.info({ link, late_frames: connection.lateFrames }, 'link lost its connection');
    // One that never said a word counts as a failed attempt, so that accept-and-drop does not become a storm.
    if (connection.framesIn === 0) this.failed(linkError('closed', { link, sent: false }));
    else {
      this.failures = 0;
      this.scheduleBackground();
    }
  }

  private scheduleBackground(): void {
    this.cancelBackground();
    if (this.closed) return;
    const { backoffMinMs, backoffMaxMs } = this.options;
    const grown = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(this.failures, 16));
    const wait = this.failures === 0 ? 0 : Math.max(backoffMinMs, grown * (0.5 + this.deps.random.float() / 2));
    // A failure has scheduled the next attempt by then; nobody waits for this one.
    this.cancelBackground = this.deps.clock.timer(wait, () => this.connect().catch(() => undefined));
  }
}

/** `work`, the caller's signal or the time limit, whichever is first. */
async function within<T>(
  clock: Clock,
  link: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (ended: AbortSignal) => Promise<T>,
): Promise<T> {
  const facts = { link, sent: false };
  const controller = new AbortController();
  const abort = (): void => signal && controller.abort(abortError(signal, facts));
  const cancel = clock.timer(timeoutMs, () =>
    controller.abort(linkError('timeout', { ...facts, detail: 'not connected in time' })),
  );
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  try {
    return await raceSignal(work(controller.signal), controller.signal);
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
}

function connectError(thrown: unknown, link: string): HermesError {
  if (causeOf(thrown)) return thrown as HermesError;
  return linkError('refused', { link, sent: false, detail: toHermesError(thrown).message }, thrown);
}
