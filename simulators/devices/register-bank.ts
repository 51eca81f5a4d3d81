import type { Point } from '../../shared/device.js';
import { EXCEPTION, isRefusal, type ReadPart, type Refusal, type WritePart } from '../modbus-pdu.js';
import { fromWords, toWords, wordsOf } from '../registers.js';

/** A point and what it means in a device's state. Pure: `set` gives the next state or the exception code. */
export interface BankPoint<State> {
  readonly point: Point;
  get(state: State): number;
  /** Absent: the device never takes this value from outside, not even from the control endpoint. */
  set?(state: State, value: number): State | Refusal;
  /** Says why this write, complete and within limits, is refused over Modbus now. */
  refuse?(state: State): Refusal | undefined;
}

export type Bank<State> = readonly BankPoint<State>[];

/** Registers or bits as the device holds them; one address that is no point makes the whole block an exception 2. */
export function readBank<State>(bank: Bank<State>, state: State, part: ReadPart): number[] | Refusal {
  const values: (number | undefined)[] = new Array(part.count).fill(undefined);
  for (const entry of bank) {
    const offset = entry.point.address - part.address;
    if (entry.point.table !== part.table || offset >= part.count || offset + wordsOf(entry.point) <= 0) continue;
    toWords(entry.point, entry.get(state)).forEach((word, index) => {
      if (offset + index >= 0 && offset + index < part.count) values[offset + index] = word;
    });
  }
  const words = values.filter((value) => value !== undefined);
  return words.length === part.count ? words : { exception: EXCEPTION.illegalAddress };
}

/** Applies a write as a whole or not at all. Half of a two-register value is refused with exception 3. */
export function writeBank<State>(bank: Bank<State>, state: State, part: WritePart): State | Refusal {
  let next = state;
  for (let index = 0; index < part.values.length; ) {
    const address = part.address + index;
    const entry = bank.find(({ point }) => covers(point, part.table, address));
    if (entry?.point.access !== 'rw' || !entry.set) return { exception: EXCEPTION.illegalAddress };
    const size = wordsOf(entry.point);
    const words = part.values.slice(index, index + size);
    if (entry.point.address !== address || words.length < size) return { exception: EXCEPTION.illegalValue };
    const value = fromWords(entry.point, words);
    if (!within(entry.point, value)) return { exception: EXCEPTION.illegalValue };
    const result = entry.refuse?.(next) ?? entry.set(next, value);
    if (isRefusal(result as object)) return result as Refusal;
    next = result as State;
    index += size;
  }
  return next;
}

export const within = (point: Point, value: number): boolean =>
  Number.isFinite(value) && value >= (point.min ?? -Infinity) && value <= (point.max ?? Infinity);

const covers = (point: Point, table: string, address: number): boolean =>
  point.table === table && address >= point.address && address < point.address + wordsOf(point);
