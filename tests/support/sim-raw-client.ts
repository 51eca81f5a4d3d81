import { connect, type Socket } from 'node:net';
import type { LinkAddress } from '../../shared/device.js';

/** A bare socket that collects what comes. */
export interface RawClient {
  readonly socket: Socket;
  send(hex: string): void;
  /** Hex of everything received, once there are this many bytes. */
  received(bytes: number): Promise<string>;
  readonly ended: Promise<void>;
}

export async function rawClient(address: LinkAddress): Promise<RawClient> {
  const socket = connect({ host: address.host, port: address.port, noDelay: true });
  let got = Buffer.alloc(0);
  const waiting: (() => void)[] = [];
  const tell = () => {
    for (const look of [...waiting]) look();
  };
  socket.on('data', (chunk) => {
    got = Buffer.concat([got, chunk]);
    tell();
  });
  // A reset by the server is an end like any other here.
  socket.on('error', () => socket.destroy());
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return {
    socket,
    send: (hex) => socket.write(Buffer.from(hex.replace(/\s/g, ''), 'hex')),
    received: (bytes) =>
      new Promise((resolve) => {
        const look = () => got.length >= bytes && resolve(got.toString('hex'));
        waiting.push(look);
        look();
      }),
    ended,
  };
}
