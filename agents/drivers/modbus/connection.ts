import { connect, type Socket } from 'node:net';
import modbusSerial from 'modbus-serial';
import type { Clock } from '../../../shared/clock.js';
import type { ConnectionCause, LinkAddress } from '../../../shared/device.js';
import type { HermesError } from '../../../shared/errors.js';
import { abortError, exceptionCause, type FailureFacts, linkError } from './link-error.js';
import { StrictTcpPort } from './strict-tcp-port.js';

export type ModbusClient = InstanceType<typeof modbusSerial.default>;
type Done<Result> = (error: Error | null, result: Result) => void;
/** Sends one request through the library; the unit is an argument, never the client's state. */
export type Send<Result> = (client: ModbusClient, done: Done<Result>) => void;

export interface CallLimits {
  readonly unit: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One TCP connection and the one library client that ever uses it. At most one call at a time. */
export interface Connection {
  readonly alive: boolean;
  /** Sound frames that have arrived, late ones too: a sign of life that is not an answer. */
  readonly framesIn: number;
  readonly lateFrames: number;
  /** Fencing tokens declared on this connection, by unit. */
  readonly epochs: Map<number, number>;
  call<Result>(send: Send<Result>, limits: CallLimits): Promise<Result>;
  destroy(): void;
}

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly link: string;
  /** The connection has ended, by whoever. */
  readonly onEnd: (connection: Connection) => void;
}

/** @throws HermesError with cause `refused` or `timeout`. */
export async function openConnection(
  deps: ConnectionDeps,
  address: LinkAddress,
  timeoutMs: number,
): Promise<Connection> {
  const socket = await openSocket(deps, address, timeoutMs);
  return wire(deps, socket);
}

function openSocket({ clock, link }: ConnectionDeps, address: LinkAddress, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address.host, port: address.port, noDelay: true, keepAlive: true });
    const fail = (cause: ConnectionCause, error?: Error): void => {
      cancel();
      socket.destroy();
      const detail = `${address.host}:${address.port} ${error?.message ?? 'does not accept in time'}`;
      reject(linkError(cause, { link, sent: false, detail }, error));
    };
    const cancel = clock.timer(timeoutMs, () => fail('timeout'));
    // Stays for the socket's life: an error without a listener would end the process.
    socket.on('error', (error) => fail('refused', error));
    socket.once('connect', () => {
      cancel();
      resolve(socket);
    });
  });
}

function wire({ clock, link, onEnd }: ConnectionDeps, socket: Socket): Connection {
  let framesIn = 0;
  let lateFrames = 0;
  let failPending: ((cause: ConnectionCause, detail?: string) => void) | undefined;
  const port = new StrictTcpPort(socket, {
    frame: () => {
      framesIn++;
    },
    late: () => {
      lateFrames++;
    },
    broken: (problem) => {
      failPending?.('bad_frame', problem);
      socket.destroy();
    },
  });
  const client = new modbusSerial.default(port);
  client.open(() => undefined);
  const connection: Connection = {
    get alive() {
      return port.isOpen;
    },
    get framesIn() {
      return framesIn;
    },
    get lateFrames() {
      return lateFrames;
    },
    epochs: new Map(),
    call<Result>(send: Send<Result>, { unit, timeoutMs, signal }: CallLimits): Promise<Result> {
      return new Promise((resolve, reject) => {
        const facts: FailureFacts = { link, unit, sent: true };
        const end = (settle: () => void): void => {
          cancelTimer();
          signal?.removeEventListener('abort', abort);
          failPending = undefined;
          port.forget();
          forgetTransactions(client);
          settle();
        };
        const fail = (error: HermesError): void => end(() => reject(error));
        const abort = (): void => signal && fail(abortError(signal, facts));
        const cancelTimer = clock.timer(timeoutMs, () => fail(linkError('timeout', facts)));
        failPending = (cause, detail) => fail(linkError(cause, detail === undefined ? facts : { ...facts, detail }));
        signal?.addEventListener('abort', abort, { once: true });
        let over = false;
        try {
          send(client, (error, result) => {
            if (over) return;
            over = true;
            if (error) fail(replyError(error, facts));
            else end(() => resolve(result));
          });
        } catch (error) {
          fail(linkError('bad_frame', { ...facts, sent: false, detail: 'the request cannot be encoded' }, error));
        }
      });
    },
    destroy: () => socket.destroy(),
  };
  socket.once('close', () => {
    failPending?.('closed');
    port.removeAllListeners();
    onEnd(connection);
  });
  return connection;
}

/** The library's error: a Modbus exception, or a reply that it could not accept. */
function replyError(error: Error & { modbusCode?: number }, facts: FailureFacts): HermesError {
  const code = error.modbusCode;
  if (code === undefined) return linkError('bad_frame', { ...facts, detail: error.message }, error);
  return linkError(exceptionCause(code), { ...facts, exception: code, detail: error.message }, error);
}

/** The library keeps every transaction for ever; with one in flight, none outlives its call. */
function forgetTransactions(client: ModbusClient): void {
  (client as unknown as { _transactions: Record<number, unknown> })._transactions = {};
}
