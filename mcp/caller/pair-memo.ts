/**
 * What is made once for each pair of names (callee and method, component and instance) and kept. Such pairs are a
 * closed set of a site; should one make names up, all is forgotten at `cap` and made anew. Two steps with the names
 * as they are cost less than one with a name joined from both.
 */
export interface PairMemo<T> {
  of(first: string, second: string): T;
  values(): Iterable<T>;
}

export function createPairMemo<T>(make: (first: string, second: string) => T, cap = 10_000): PairMemo<T> {
  const known = new Map<string, Map<string, T>>();
  let size = 0;
  const add = (first: string, second: string): T => {
    const made = make(first, second);
    if (size >= cap) {
      known.clear();
      size = 0;
    }
    size++;
    const seconds = known.get(first) ?? new Map<string, T>();
    seconds.set(second, made);
    known.set(first, seconds);
    return made;
  };
  return {
    of: (first, second) => known.get(first)?.get(second) ?? add(first, second),
    *values() {
      for (const seconds of known.values()) yield* seconds.values();
    },
  };
}
