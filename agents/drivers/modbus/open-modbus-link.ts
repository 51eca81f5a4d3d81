import type { Clock } from '../../../shared/clock.js';
import type { FenceWrite, LinkAddress, LinkDriver } from '../../../shared/device.js';
import type { Random } from '../../../shared/random.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Metrics } from '../../../shared/telemetry/metrics.js';
import { checkFence, checkRead, checkWrite } from './check-request.js';
import type { Connection } from './connection.js';
import { LinkConnector } from './connector.js';
import { createExchanger } from './exchange.js';
import { sendRead, sendRegisters, sendWrite } from './library-calls.js';
import { linkError } from './link-error.js';
import { createRequestQueue } from './request-queue.js';

export interface ModbusLinkDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Where the link is now; asked at each connect, so that start order does not matter. */
  readonly resolve: () => Promise<LinkAddress>;
}

export interface ModbusLinkOptions {
  /** Name of the link in logs, metrics and errors. */
  readonly link: string;
  /** Time of one request when the call gives none, ms. */
  readonly requestTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly backoffMinMs?: number;
  readonly backoffMaxMs?: number;
  /** A request that waited longer than this for its turn is dropped. */
  readonly maxAgeMs?: number;
  readonly maxWaiting?: number;
  /** Reads in a row without any sign of life before the connection is taken for half open. */
  readonly silentReads?: number;
}

const DEFAULTS = {
  requestTimeoutMs: 1_000,
  connectTimeoutMs: 3_000,
  backoffMinMs: 1_000,
  backoffMaxMs: 60_000,
  maxAgeMs: 5_000,
  maxWaiting: 256,
  silentReads: 2,
} as const;

/**
 * A link over Modbus TCP: one connection, one request in flight, writes before reads, units in turn and silent units
 * last.
 *
 * A request while there is no connection makes one within the request's own time. A read is sent again once when the
 * connection ended under it; a write never. A write for a unit to which a token was declared goes out only on a
 * connection that has heard the token: after a reconnect it fails unsent (`closed`, `sent: false`) until `fence` ran.
 */
export function openModbusLink(deps: ModbusLinkDeps, given: ModbusLinkOptions): LinkDriver {
  const options = { ...DEFAULTS, ...given };
  const { link } = options;
  const connector = new LinkConnector(deps, options);
  const queue = createRequestQueue(deps.clock, options);
  const exchange = createExchanger({ clock: deps.clock, metrics: deps.metrics, connector, queue }, options);
  const tokens = new Map<number, number>();
  const checkToken = (connection: Connection, unit: number): void => {
    const token = tokens.get(unit);
    if (token === undefined || connection.epochs.get(unit) === token) return;
    throw linkError('closed', {
      link,
      unit,
      sent: false,
      detail: 'this connection has not declared the fencing token',
    });
  };
  return {
    get state() {
      return connector.state;
    },
    async read(request, call = {}) {
      checkRead(request);
      const send = sendRead(request);
      return exchange({ unit: request.unit, effect: false, options: call, act: (c, limits) => c.call(send, limits) });
    },
    async write(request, call = {}) {
      checkWrite(request);
      const { unit } = request;
      const { functionCode, send } = sendWrite(request);
      const act = async (connection: Connection, limits: Parameters<Connection['call']>[1]) => {
        checkToken(connection, unit);
        call.guard?.();
        await connection.call(send, limits);
      };
      await exchange({ unit, effect: true, options: call, act });
      return { function_code: functionCode };
    },
    async fence(unit, register, epoch, call = {}) {
      checkFence(unit, register, epoch);
      const values = [Math.floor(epoch / 0x1_0000), epoch % 0x1_0000] as const;
      const act = async (connection: Connection, limits: Parameters<Connection['call']>[1]) => {
        if (connection.epochs.get(unit) === epoch) return undefined;
        call.guard?.();
        tokens.set(unit, epoch);
        await connection.call(sendRegisters(unit, register, values), limits);
        connection.epochs.set(unit, epoch);
        return { unit, address: register, values, function_code: 16 } satisfies FenceWrite;
      };
      return exchange({ unit, effect: true, options: call, act });
    },
    async close() {
      connector.close();
    },
  };
}
