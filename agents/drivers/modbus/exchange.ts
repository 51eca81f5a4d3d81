import type { Clock } from '../../../shared/clock.js';
import type { LinkCallOptions } from '../../../shared/device.js';
import type { Metrics } from '../../../shared/telemetry/metrics.js';
import type { CallLimits, Connection } from './connection.js';
import type { Connector } from './connector.js';
import { causeOf } from './link-error.js';
import type { RequestQueue } from './request-queue.js';

/** One request: what it does with a connection once it has one. */
export interface Exchange<Result> {
  readonly unit: number;
  /** It changes the device: never sent twice. */
  readonly effect: boolean;
  readonly options: LinkCallOptions;
  act(connection: Connection, limits: CallLimits): Promise<Result>;
}

export interface ExchangeDeps {
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly connector: Connector;
  readonly queue: RequestQueue;
}

export interface ExchangeOptions {
  readonly link: string;
  readonly requestTimeoutMs: number;
  readonly silentReads: number;
}

/**
 * Runs requests on the link's connection and judges it by their outcome.
 *
 * After a write without an answer the connection ends: its late reply can meet nobody. After a read without an answer
 * it stays, since replies are matched by id and the other units may be well; when `silentReads` reads in a row brought
 * no frame at all it is taken for half open and ends.
 */
export function createExchanger(deps: ExchangeDeps, options: ExchangeOptions) {
  const { clock, metrics, connector, queue } = deps;
  const { link, requestTimeoutMs, silentReads } = options;
  let silentInRow = 0;

  const answered = (unit: number): void => {
    silentInRow = 0;
    queue.answered(unit);
  };
  const judge = (
    connection: Connection,
    before: { frames: number; at: number },
    asked: Exchange<unknown>,
    error: unknown,
  ): void => {
    const cause = causeOf(error);
    if (cause !== 'timeout' && cause !== 'cancelled') {
      answered(asked.unit);
      if (cause === 'gateway_target_silent') queue.silent(asked.unit);
      if (cause === 'bad_frame') connection.destroy();
      return;
    }
    // A caller in a hurry is no sign of a silent link.
    if (clock.monotonic() - before.at >= Math.min(requestTimeoutMs, asked.options.timeoutMs ?? Infinity) / 2) {
      queue.silent(asked.unit);
      silentInRow = connection.framesIn > before.frames ? 0 : silentInRow + 1;
    }
    if (!asked.effect && silentInRow < silentReads) return;
    silentInRow = 0;
    connection.destroy();
  };
  const attempt = async <Result>(asked: Exchange<Result>, until: number): Promise<Result> => {
    const { unit, options: call } = asked;
    const connection = await connector.acquire(until - clock.monotonic(), call.signal);
    const before = { frames: connection.framesIn, at: clock.monotonic() };
    const timeoutMs = Math.max(1, until - clock.monotonic());
    try {
      const result = await asked.act(connection, { unit, timeoutMs, signal: call.signal });
      answered(unit);
      return result;
    } catch (error) {
      judge(connection, before, asked, error);
      throw error;
    }
  };
  const perform = async <Result>(asked: Exchange<Result>): Promise<Result> => {
    const until = clock.monotonic() + (asked.options.timeoutMs ?? requestTimeoutMs);
    try {
      return await attempt(asked, until);
    } catch (error) {
      const cause = causeOf(error);
      const lost = cause === 'closed' || cause === 'bad_frame';
      if (asked.effect || !lost || clock.monotonic() >= until) throw error;
      return attempt(asked, until);
    }
  };
  return async <Result>(asked: Exchange<Result>): Promise<Result> => {
    try {
      const result = await queue.run(asked, asked.options.signal, () => perform(asked));
      metrics.count('deviceRequests', { link, result: 'ok' });
      return result;
    } catch (error) {
      metrics.count('deviceRequests', { link, result: causeOf(error) ?? 'defect' });
      throw error;
    }
  };
}
