import { HermesError } from '../../../shared/errors.js';
import type { Store, StoreChange, StoreRange } from '../store.js';

/** One slot: what is in it outlives its openings. */
export interface MemorySlot {
  /** @throws HermesError `store_locked` when it is open. */
  open(): Store;
  readonly isOpen: boolean;
  /** The process is dead: what was not synced is gone, the slot is free. */
  crash(): void;
}

/** Ordered keys in memory; a synced batch makes all before it durable, as one write-ahead journal does. */
export function createMemorySlot(path: string): MemorySlot {
  const values = new Map<string, Uint8Array>();
  const keys: string[] = [];
  /** What was there before the first unsynced change of each key. */
  const before = new Map<string, Uint8Array | undefined>();
  let holder: object | undefined;

  const set = (key: string, value: Uint8Array | undefined): void => {
    const known = values.has(key);
    if (value !== undefined) {
      values.set(key, value);
      if (!known) keys.splice(lowerBound(keys, key), 0, key);
    } else if (known) {
      values.delete(key);
      keys.splice(lowerBound(keys, key), 1);
    }
  };
  const apply = (changes: readonly StoreChange[], sync: boolean): void => {
    for (const change of changes) {
      if (!before.has(change.key)) before.set(change.key, values.get(change.key));
      set(change.key, change.type === 'put' ? change.value.slice() : undefined);
    }
    if (sync) before.clear();
  };
  const select = ({ from, to, reverse = false, limit = -1 }: StoreRange): readonly string[] => {
    const chosen = keys.slice(lowerBound(keys, from), lowerBound(keys, to));
    if (reverse) chosen.reverse();
    return limit < 0 ? chosen : chosen.slice(0, limit);
  };
  const open = (): Store => {
    if (holder) {
      throw new HermesError('store_locked', `${path} is open`, {
        path,
        pid: process.pid,
        suggestion: 'close it first',
      });
    }
    const mine = {};
    holder = mine;
    const check = (): void => {
      if (holder !== mine) throw new HermesError('log_unavailable', `${path} is closed`, { path });
    };
    return {
      async get(key) {
        check();
        return values.get(key)?.slice();
      },
      async batch(changes, { sync = false } = {}) {
        check();
        apply(changes, sync);
      },
      async *range(range) {
        check();
        const rows = select(range).map((key) => [key, values.get(key)] as const);
        for (const [key, value] of rows) {
          check();
          if (value) yield [key, value.slice()] as const;
        }
      },
      async close() {
        if (holder !== mine) return;
        holder = undefined;
        before.clear();
      },
    };
  };
  return {
    open,
    get isOpen() {
      return holder !== undefined;
    },
    crash() {
      for (const [key, value] of before) set(key, value);
      before.clear();
      holder = undefined;
    },
  };
}

function lowerBound(keys: readonly string[], wanted: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareUtf8(keys[middle] ?? '', wanted) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Order of the UTF-8 bytes, which is the order of code points; UTF-16 puts surrogates before U+E000. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
