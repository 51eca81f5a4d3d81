/** The page's only door to time and chance; tests hand in another. */
export interface BrowserClock {
  /** Unix milliseconds. */
  now(): number;
  /** Runs once after `ms`; the returned function cancels. */
  timer(ms: number, run: () => void): () => void;
  every(ms: number, run: () => void): () => void;
}

export const browserClock = (): BrowserClock => ({
  now: () => Date.now(),
  timer(ms, run) {
    const handle = setTimeout(run, ms);
    return () => clearTimeout(handle);
  },
  every(ms, run) {
    const handle = setInterval(run, ms);
    return () => clearInterval(handle);
  },
});

/** 96 random bits, hex. `randomUUID` is absent on plain HTTP away from loopback. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
