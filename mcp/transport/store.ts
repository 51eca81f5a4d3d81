/**
 * Store: the ordered key-value store under a projection. Never the truth: it can be lost and rebuilt from the log.
 *
 * Invariants (the contract suite holds them on every implementation):
 *  1. A batch is applied whole or not at all; later reads see it.
 *  2. Keys are ordered by their UTF-8 bytes; a range is half-open, `[from, to)`.
 *  3. One process at a time: a second open of the same path is `store_locked`, naming the holder's pid.
 */
export interface Store {
  get(key: string): Promise<Uint8Array | undefined>;
  batch(changes: readonly StoreChange[], options?: { readonly sync?: boolean }): Promise<void>;
  range(range: StoreRange): AsyncIterable<readonly [string, Uint8Array]>;
  close(): Promise<void>;
}

export type StoreChange =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: string };

export interface StoreRange {
  readonly from: string;
  readonly to: string;
  /** Newest first. */
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** All keys that begin with a prefix. */
export const prefixRange = (prefix: string): StoreRange => ({ from: prefix, to: `${prefix}\u{10ffff}` });
