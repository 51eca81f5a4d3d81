/** Work in line, one at a time for each key; keys do not wait for each other. Empty when nothing is under way. */
export interface Lines {
  inLine<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createLines(): Lines {
  const lines = new Map<string, Promise<unknown>>();
  return {
    inLine(key, work) {
      const before = lines.get(key) ?? Promise.resolve();
      const mine = before.then(work, work);
      const settled = mine.catch(() => undefined);
      lines.set(key, settled);
      void settled.then(() => {
        if (lines.get(key) === settled) lines.delete(key);
      });
      return mine;
    },
  };
}
