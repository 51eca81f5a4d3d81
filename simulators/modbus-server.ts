import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../shared/clock.js';
import { toHermesError } from '../shared/errors.js';
import type { Logger } from '../shared/telemetry/logger.js';
import {
  addressOf,
  encodeAdu,
  encodeException,
  encodeReply,
  isRefusal,
  MBAP_BYTES,
  MBAP_LENGTH,
  type ModbusRequest,
  parseRequest,
} from './modbus-pdu.js';
import type { LinkConnection } from './request-rules.js';
import type { World } from './world.js';

export interface ModbusServer {
  readonly host: string;
  readonly port: number;
  /** Drops every client and frees the port. */
  close(): Promise<void>;
}

export interface ModbusServerOptions {
  readonly link: string;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
}

interface Deps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly world: World;
}

interface Client {
  readonly socket: Socket;
  readonly connection: LinkConnection;
}

/**
 * One link as a Modbus TCP server with many units behind it.
 *
 * Any chunking is reassembled, one byte at a time included. A header with a protocol id other than 0 or a length
 * outside 2–254 closes the connection: nothing after it can be trusted. A client's reset ends that client alone.
 */
export async function openModbusServer(deps: Deps, options: ModbusServerOptions): Promise<ModbusServer> {
  const { world, logger } = deps;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    const client: Client = { socket, connection: world.connect(options.link) };
    let pending: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      if (world.isDead(client.connection)) return;
      pending = takeFrames(Buffer.concat([pending, chunk]), client, deps);
    });
    socket.on('error', (error) =>
      logger.debug({ link: options.link, err: error.message }, 'simulated link: client lost'),
    );
    socket.on('close', () => sockets.delete(socket));
  });
  await listen(server, options);
  server.on('error', (error) => logger.error({ link: options.link, err: error.message }, 'simulated link failed'));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  return {
    host: options.host,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function listen(server: Server, { host, port }: ModbusServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Answers the whole frames of a buffer and returns the rest. */
function takeFrames(buffer: Buffer, client: Client, deps: Deps): Buffer {
  let rest = buffer;
  while (rest.length >= MBAP_BYTES - 1) {
    const protocol = rest.readUInt16BE(2);
    const length = rest.readUInt16BE(4);
    if (protocol !== 0 || length < MBAP_LENGTH.min || length > MBAP_LENGTH.max) {
      client.socket.destroy();
      return Buffer.alloc(0);
    }
    if (rest.length < 6 + length) return rest;
    const frame = rest.subarray(0, 6 + length);
    rest = rest.subarray(6 + length);
    answer(frame, client, deps).catch((error: unknown) => {
      deps.logger.error({ err: toHermesError(error).message }, 'simulated link: a request failed');
      client.socket.destroy();
    });
  }
  return rest;
}

async function answer(frame: Buffer, { socket, connection }: Client, { world, clock }: Deps): Promise<void> {
  const transaction = frame.readUInt16BE(0);
  const unit = frame[6] ?? 0;
  const pdu = frame.subarray(MBAP_BYTES);
  const fc = pdu[0] ?? 0;
  const parsed = parseRequest(pdu);
  const request: ModbusRequest = isRefusal(parsed) ? { fc } : parsed;
  const device = world.deviceAt(connection.link, unit);
  const line = {
    ...(device === undefined ? {} : { device }),
    link: connection.link,
    unit,
    fc,
    address: addressOf(request),
  };
  const written = request.write?.values ?? [];
  world.logFrame({ ...line, at: clock.now(), dir: 'in', values: written, raw: frame.toString('hex') });
  // The device side acts on reception, before any delay of the reply.
  const verdict = isRefusal(parsed)
    ? { silent: false, delayMs: 0, reply: parsed }
    : world.receive(connection, unit, parsed);
  if (unit === 0) return;
  if (verdict.delayMs > 0) await clock.sleep(verdict.delayMs);
  if (verdict.silent || socket.destroyed || !socket.writable || world.isDead(connection)) return;
  const { reply } = verdict;
  const refused = isRefusal(reply);
  const answered = refused ? encodeException(fc, reply.exception) : encodeReply(request, reply.values);
  const adu = encodeAdu(transaction, unit, answered);
  const result = refused ? { values: [], exception: reply.exception } : { values: reply.values };
  world.logFrame({ ...line, at: clock.now(), dir: 'out', ...result, raw: adu.toString('hex') });
  socket.write(adu);
}
