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
   * The connection, made now if there is none. An attempt is at least `backoffMinMs` after a failed one; when that is
   * later than `timeoutMs` allows, the failure of the last attempt is the answer.
   * @throws HermesError.
   */
  acquire(timeoutMs: number, signal: AbortSignal | undefined): Promise<Connection>;
  close(): void;
}

/**
 * Reconnect state machine. Refused, reset, closed and timed out are all the same event: try again, later each time
 * (×2 from minimum to maximum, with jitter). One attempt at a time, whoever asked for it.
 */
export function createConnector(deps: ConnectorDeps, options: ConnectorOptions): Connector {
  const { clock, random, logger, resolve } = deps;
  const { link, connectTimeoutMs, backoffMinMs, backoffMaxMs } = options;
  let current: Connection | undefined;
  let attempt: Promise<Connection> | undefined;
  let closed = false;
  let failures = 0;
  let notBefore = 0;
  let lastFailure: HermesError | undefined;
  let cancelBackground: Cancel = () => undefined;

  const failed = (error: HermesError): void => {
    failures++;
    lastFailure = error;
    notBefore = clock.monotonic() + backoffMinMs;
    if (failures === 1) logger.warn({ link, cause: causeOf(error), err: error.message }, 'link is not connected');
    scheduleBackground();
  };
  const scheduleBackground = (): void => {
    cancelBackground();
    if (closed) return;
    const grown = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(failures, 16));
    const wait = failures === 0 ? 0 : Math.max(backoffMinMs, grown * (0.5 + random.float() / 2));
    cancelBackground = clock.timer(wait, () => start().catch(() => undefined));
  };
  const ended = (connection: Connection): void => {
    if (current !== connection) return;
    current = undefined;
    // One that never said a word counts as a failed attempt, so that accept-and-drop does not become a storm.
    if (connection.framesIn === 0) failed(linkError('closed', { link, sent: false }));
    else {
      failures = 0;
      logger.info({ link }, 'link lost its connection');
      scheduleBackground();
    }
  };
  const start = (): Promise<Connection> => {
    if (current?.alive) return Promise.resolve(current);
    attempt ??= connectOnce()
      .catch((thrown: unknown) => {
        const error = connectError(thrown, link);
        if (!closed) failed(error);
        throw error;
      })
      .finally(() => {
        attempt = undefined;
      });
    return attempt;
  };
  const connectOnce = async (): Promise<Connection> => {
    cancelBackground();
    const address = await resolve();
    const connection = await openConnection({ clock, link, onEnd: ended }, address, connectTimeoutMs);
    if (closed) {
      connection.destroy();
      throw linkError('closed', { link, sent: false });
    }
    current = connection;
    logger.info({ link, host: address.host, port: address.port }, 'link connected');
    return connection;
  };
  scheduleBackground();
  return {
    get state() {
      if (closed) return 'closed';
      return current?.alive ? 'connected' : 'connecting';
    },
    async acquire(timeoutMs, signal) {
      if (closed) throw linkError('closed', { link, sent: false });
      if (current?.alive) return current;
      const until = clock.monotonic() + timeoutMs;
      const wait = attempt ? 0 : notBefore - clock.monotonic();
      if (wait >= timeoutMs) throw lastFailure ?? linkError('refused', { link, sent: false });
      return within(clock, link, until, signal, async () => {
        if (wait > 0) await clock.sleep(wait, signal);
        return start();
      });
    },
    close() {
      closed = true;
      cancelBackground();
      current?.destroy();
    },
  };
}

/** `work`, the caller's signal or the time limit, whichever is first. */
async function within<T>(
  clock: Clock,
  link: string,
  until: number,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const facts = { link, sent: false };
  const controller = new AbortController();
  const abort = (): void => signal && controller.abort(abortError(signal, facts));
  const cancel = clock.timer(until - clock.monotonic(), () =>
    controller.abort(linkError('timeout', { ...facts, detail: 'not connected in time' })),
  );
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  try {
    return await raceSignal(work(), controller.signal);
  } finally {
    cancel();
    signal?.removeEventListener('abort', abort);
  }
}

function connectError(thrown: unknown, link: string): HermesError {
  if (causeOf(thrown)) return thrown as HermesError;
  return linkError('refused', { link, sent: false, detail: toHermesError(thrown).message }, thrown);
}
