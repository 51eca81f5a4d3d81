import { createServer, type Socket } from 'node:net';
import type { LinkAddress } from '../../shared/device.js';

export interface AskedFrame {
  readonly transaction: number;
  readonly unit: number;
  readonly fc: number;
  readonly address: number;
  readonly count: number;
  readonly socket: Socket;
  /** How many requests came before this one, on all connections. */
  readonly index: number;
  /** Which connection, counted from 0. */
  readonly connection: number;
}

export interface FaultyServer {
  readonly address: LinkAddress;
  readonly asked: readonly AskedFrame[];
  readonly connections: number;
  close(): Promise<void>;
}

/** A Modbus TCP server that does with each request what the test says: bytes are the test's own. */
export async function openFaultyServer(serve: (frame: AskedFrame) => void, port = 0): Promise<FaultyServer> {
  const asked: AskedFrame[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = connections++;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    let pending = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      while (pending.length >= 12 && pending.length >= 6 + pending.readUInt16BE(4)) {
        const frame: AskedFrame = {
          transaction: pending.readUInt16BE(0),
          unit: pending.readUInt8(6),
          fc: pending.readUInt8(7),
          address: pending.readUInt16BE(8),
          count: pending.readUInt16BE(10),
          socket,
          index: asked.length,
          connection,
        };
        pending = pending.subarray(6 + pending.readUInt16BE(4));
        asked.push(frame);
        serve(frame);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const bound = server.address();
  return {
    address: { host: '127.0.0.1', port: typeof bound === 'object' && bound ? bound.port : port },
    asked,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The reply to a read of registers. */
export function registers(
  frame: AskedFrame,
  values: readonly number[],
  change: { unit?: number; fc?: number } = {},
): Buffer {
  const adu = Buffer.alloc(9 + values.length * 2);
  adu.writeUInt16BE(frame.transaction, 0);
  adu.writeUInt16BE(3 + values.length * 2, 4);
  adu.writeUInt8(change.unit ?? frame.unit, 6);
  adu.writeUInt8(change.fc ?? frame.fc, 7);
  adu.writeUInt8(values.length * 2, 8);
  for (const [index, value] of values.entries()) adu.writeUInt16BE(value, 9 + index * 2);
  return adu;
}
