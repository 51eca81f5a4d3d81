/** A map that forgets what was used longest ago when it would grow over `cap`. */
export interface LruMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
  values(): IterableIterator<Value>;
  readonly size: number;
}

export function createLruMap<Value>(cap: number): LruMap<Value> {
  const entries = new Map<string, Value>();
  let newest: string | undefined;
  return {
    get(key) {
      const value = entries.get(key);
      // The one used last stands at the end already: no need to move it.
      if (value === undefined || key === newest) return value;
      entries.delete(key);
      entries.set(key, value);
      newest = key;
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      newest = key;
      if (entries.size <= cap) return;
      const oldest = entries.keys().next().value;
      if (oldest !== undefined) entries.delete(oldest);
    },
    delete(key) {
      entries.delete(key);
      if (newest === key) newest = undefined;
    },
    values: () => entries.values(),
    get size() {
      return entries.size;
    },
  };
}
