import type { BrowserClock } from './browser-clock.js';
import { readEvents } from './event-stream.js';

/** No byte for this long, heartbeats included: the connection is half open. */
const SILENCE_MS = 90_000;
const RETRY_MS = [500, 1_000, 2_000, 5_000] as const;

export interface StreamEars {
  live(): void;
  down(): void;
  changed(): void;
}

/**
 * Keeps a stream open until `signal` aborts: reconnects with growing pauses and hands the last event id to each
 * reopening, so that the server resumes there. The stream is read through fetch, not EventSource, because EventSource
 * cannot carry a bearer token, and after an HTTP error neither reopens nor resumes.
 */
export async function followStream(
  open: (lastEventId: string | undefined) => Promise<Response>,
  clock: BrowserClock,
  signal: AbortSignal,
  ears: StreamEars,
): Promise<void> {
  let lastEventId: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    let cancelSilence = (): void => undefined;
    try {
      const response = await open(lastEventId);
      const reader = response.body?.getReader();
      const listen = () => {
        cancelSilence();
        cancelSilence = clock.timer(SILENCE_MS, () => void reader?.cancel());
      };
      listen();
      failures = 0;
      ears.live();
      await readEvents(reader, listen, (event) => {
        if (event.id !== undefined) lastEventId = event.id;
        ears.changed();
      });
      ears.changed();
    } catch {
      failures += 1;
    }
    cancelSilence();
    if (signal.aborted) return;
    ears.down();
    await new Promise<void>((resolve) => {
      clock.timer(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? SILENCE_MS, resolve);
    });
  }
}
