import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

const HEADER_BYTES = 6;
const CRC_BYTES = 2;
const LENGTH = { min: 2, max: 254 } as const;

export interface PortEvents {
  /** A sound frame has come, expected or not. */
  frame(): void;
  /** A frame that nobody waits for has been dropped. */
  late(): void;
  /** The stream cannot be trusted any more. */
  broken(problem: string): void;
}

interface Outstanding {
  readonly id: number;
  readonly unit: number;
  readonly fc: number;
}

/**
 * The port under `modbus-serial`, in the place of its own TCP port, which waits for ever on a corrupt length (#599),
 * wraps transaction ids at 256 and never forgets one (#573).
 *
 * Guarantees: ids of 16 bits; a frame is handed on only when its id is the outstanding one and its unit and function
 * agree; any chunking is reassembled; a protocol id other than 0 or a length outside 2–254 breaks the connection;
 * nothing that arrives can throw out of here.
 */
export class StrictTcpPort extends EventEmitter {
  /** Read by the library to find the transaction of a frame. */
  _transactionIdRead = 0;
  /** Read by the library to name the transaction of the next write. */
  _transactionIdWrite = 1;
  private pending: Buffer = Buffer.alloc(0);
  private outstanding: Outstanding | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly events: PortEvents,
  ) {
    super();
    socket.on('data', (chunk) => this.receive(chunk));
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.writable;
  }

  open(callback: (error?: Error) => void): void {
    callback();
  }

  close(callback?: () => void): void {
    this.socket.destroy();
    callback?.();
  }

  destroy(callback?: () => void): void {
    this.close(callback);
  }

  /** Sends one RTU frame of the library as a TCP frame. */
  write(frame: Buffer): void {
    const id = this._transactionIdWrite;
    this.outstanding = { id, unit: frame[0] ?? 0, fc: frame[1] ?? 0 };
    const body = frame.subarray(0, frame.length - CRC_BYTES);
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(id, 0);
    header.writeUInt16BE(body.length, 4);
    this.socket.write(Buffer.concat([header, body]));
    this._transactionIdWrite = (id + 1) & 0xffff;
  }

  /** Nobody waits for the outstanding answer any more; when it comes it is late. */
  forget(): void {
    this.outstanding = undefined;
  }

  private receive(chunk: Buffer): void {
    try {
      this.pending = Buffer.concat([this.pending, chunk]);
      while (this.takeFrame());
    } catch (error) {
      this.events.broken(error instanceof Error ? error.message : String(error));
    }
  }

  private takeFrame(): boolean {
    const buffer = this.pending;
    if (buffer.length < HEADER_BYTES || this.socket.destroyed) return false;
    const length = buffer.readUInt16BE(4);
    if (buffer.readUInt16BE(2) !== 0 || length < LENGTH.min || length > LENGTH.max) {
      this.pending = Buffer.alloc(0);
      this.events.broken(`header ${buffer.toString('hex', 0, HEADER_BYTES)}`);
      return false;
    }
    if (buffer.length < HEADER_BYTES + length) return false;
    this.pending = buffer.subarray(HEADER_BYTES + length);
    this.deliver(buffer.readUInt16BE(0), buffer.subarray(HEADER_BYTES, HEADER_BYTES + length));
    return true;
  }

  private deliver(id: number, body: Buffer): void {
    this.events.frame();
    const expected = this.outstanding;
    if (!expected || expected.id !== id) {
      this.events.late();
      return;
    }
    if (body[0] !== expected.unit || ((body[1] ?? 0) & 0x7f) !== expected.fc) {
      this.events.broken(`asked unit ${expected.unit} function ${expected.fc}, got ${body[0]} and ${body[1]}`);
      return;
    }
    this.outstanding = undefined;
    this._transactionIdRead = id;
    const crc = Buffer.alloc(CRC_BYTES);
    crc.writeUInt16LE(crc16(body), 0);
    this.emit('data', Buffer.concat([body, crc]));
  }
}

/** CRC-16/MODBUS, which the library checks even over TCP. */
function crc16(bytes: Buffer): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
