import type { PointTable } from '../shared/device.js';

/**
 * Modbus requests and replies as data and as bytes (Modbus Application Protocol V1.1b3 §6; MBAP: Messaging on TCP/IP
 * V1.0b §3.1.3). Both the TCP server and the in-process link speak through this file.
 */
export interface ReadPart {
  readonly table: PointTable;
  readonly address: number;
  readonly count: number;
}

export interface WritePart {
  readonly table: 'coil' | 'holding';
  readonly address: number;
  readonly values: readonly number[];
}

/** FC22: register := (register AND and) OR (or AND NOT and). */
export interface MaskPart {
  readonly address: number;
  readonly and: number;
  readonly or: number;
}

/** What one request asks; FC23 has both `write` (first) and `read`. */
export interface ModbusRequest {
  readonly fc: number;
  readonly read?: ReadPart;
  readonly write?: WritePart;
  readonly mask?: MaskPart;
}

/** A Modbus exception code in the place of an answer. */
export interface Refusal {
  readonly exception: number;
}

export const EXCEPTION = {
  illegalFunction: 1,
  illegalAddress: 2,
  illegalValue: 3,
  deviceFailure: 4,
  gatewayTargetSilent: 11,
} as const;

export const MBAP_BYTES = 7;
/** Unit id and PDU; more or less is not Modbus. */
export const MBAP_LENGTH = { min: 2, max: 254 } as const;

export const isRefusal = (value: object): value is Refusal => 'exception' in value;

const READ_TABLES: Readonly<Record<number, PointTable>> = { 1: 'coil', 2: 'discrete', 3: 'holding', 4: 'input' };

/** A request's PDU as data, or the exception a device answers to it. */
export function parseRequest(pdu: Buffer): ModbusRequest | Refusal {
  const fc = pdu[0] ?? 0;
  const table = READ_TABLES[fc];
  if (table) return parseRead(pdu, fc, table);
  switch (fc) {
    case 5:
      return parseSingleCoil(pdu);
    case 6:
      if (pdu.length !== 5) return refuse(EXCEPTION.illegalValue);
      return { fc, write: { table: 'holding', address: pdu.readUInt16BE(1), values: [pdu.readUInt16BE(3)] } };
    case 15:
      return parseCoils(pdu);
    case 16:
      return parseRegisters(pdu, fc, 1, 123);
    case 22:
      if (pdu.length !== 7) return refuse(EXCEPTION.illegalValue);
      return { fc, mask: { address: pdu.readUInt16BE(1), and: pdu.readUInt16BE(3), or: pdu.readUInt16BE(5) } };
    case 23:
      return parseReadWrite(pdu);
    default:
      return refuse(EXCEPTION.illegalFunction);
  }
}

/** The PDU of a request; for the link that has no wire and still logs what a wire would have carried. */
export function encodeRequest(request: ModbusRequest): Buffer {
  const { fc, read, write } = request;
  if (read) return Buffer.from([fc, ...word(read.address), ...word(read.count)]);
  if (!write) throw new RangeError(`function code ${fc} has neither a read nor a write part`);
  const first = write.values[0] ?? 0;
  if (fc === 5) return Buffer.from([fc, ...word(write.address), first === 0 ? 0 : 0xff, 0]);
  if (fc === 6) return Buffer.from([fc, ...word(write.address), ...word(first)]);
  const data = fc === 15 ? packBits(write.values) : write.values.flatMap(word);
  return Buffer.from([fc, ...word(write.address), ...word(write.values.length), data.length, ...data]);
}

/** The PDU of the answer; `values` is what was read. */
export function encodeReply(request: ModbusRequest, values: readonly number[]): Buffer {
  const { fc, read, write, mask } = request;
  if (mask) return Buffer.from([fc, ...word(mask.address), ...word(mask.and), ...word(mask.or)]);
  if (read) {
    const data = read.table === 'coil' || read.table === 'discrete' ? packBits(values) : values.flatMap(word);
    return Buffer.from([fc, data.length, ...data]);
  }
  if (!write) throw new RangeError(`function code ${fc} has no answer`);
  if (fc === 5 || fc === 6) return encodeRequest(request);
  return Buffer.from([fc, ...word(write.address), ...word(write.values.length)]);
}

export const encodeException = (fc: number, code: number): Buffer => Buffer.from([fc | 0x80, code]);

/** MBAP header and PDU. */
export const encodeAdu = (transaction: number, unit: number, pdu: Buffer): Buffer =>
  Buffer.concat([Buffer.from([...word(transaction), 0, 0, ...word(pdu.length + 1), unit]), pdu]);

/** Address that a request is about, for the record; the write part of FC23. */
export const addressOf = (request: ModbusRequest): number =>
  request.write?.address ?? request.mask?.address ?? request.read?.address ?? 0;

function parseRead(pdu: Buffer, fc: number, table: PointTable): ModbusRequest | Refusal {
  if (pdu.length !== 5) return refuse(EXCEPTION.illegalValue);
  const count = pdu.readUInt16BE(3);
  const limit = fc <= 2 ? 2000 : 125;
  if (count < 1 || count > limit) return refuse(EXCEPTION.illegalValue);
  return { fc, read: { table, address: pdu.readUInt16BE(1), count } };
}

function parseSingleCoil(pdu: Buffer): ModbusRequest | Refusal {
  const value = pdu.length === 5 ? pdu.readUInt16BE(3) : -1;
  if (value !== 0 && value !== 0xff00) return refuse(EXCEPTION.illegalValue);
  return { fc: 5, write: { table: 'coil', address: pdu.readUInt16BE(1), values: [value === 0 ? 0 : 1] } };
}

function parseCoils(pdu: Buffer): ModbusRequest | Refusal {
  if (pdu.length < 7) return refuse(EXCEPTION.illegalValue);
  const count = pdu.readUInt16BE(3);
  const bytes = Math.ceil(count / 8);
  if (count < 1 || count > 1968 || pdu[5] !== bytes || pdu.length !== 6 + bytes) return refuse(EXCEPTION.illegalValue);
  const values = Array.from({ length: count }, (_, bit) => ((pdu[6 + (bit >> 3)] ?? 0) >> (bit & 7)) & 1);
  return { fc: 15, write: { table: 'coil', address: pdu.readUInt16BE(1), values } };
}

function parseRegisters(pdu: Buffer, fc: number, offset: number, limit: number): ModbusRequest | Refusal {
  if (pdu.length < offset + 5) return refuse(EXCEPTION.illegalValue);
  const count = pdu.readUInt16BE(offset + 2);
  const sound = count >= 1 && count <= limit && pdu[offset + 4] === count * 2 && pdu.length === offset + 5 + count * 2;
  if (!sound) return refuse(EXCEPTION.illegalValue);
  const values = Array.from({ length: count }, (_, index) => pdu.readUInt16BE(offset + 5 + index * 2));
  return { fc, write: { table: 'holding', address: pdu.readUInt16BE(offset), values } };
}

function parseReadWrite(pdu: Buffer): ModbusRequest | Refusal {
  const written = parseRegisters(pdu, 23, 5, 121);
  if (isRefusal(written)) return written;
  const count = pdu.readUInt16BE(3);
  if (count < 1 || count > 125) return refuse(EXCEPTION.illegalValue);
  return { ...written, read: { table: 'holding', address: pdu.readUInt16BE(1), count } };
}

function packBits(bits: readonly number[]): number[] {
  const bytes = new Array<number>(Math.ceil(bits.length / 8)).fill(0);
  bits.forEach((bit, index) => {
    if (bit !== 0) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
  });
  return bytes;
}

const word = (value: number): [number, number] => [(value >> 8) & 0xff, value & 0xff];
const refuse = (exception: number): Refusal => ({ exception });
