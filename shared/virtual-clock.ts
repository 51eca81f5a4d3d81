import { type Cancel, type Clock, sleepOn } from './clock.js';

interface Entry {
  at: number;
  order: number;
  run: () => void;
  cancelled: boolean;
}

/**
 * Time that stands still until it is told to move, and moves only when nothing else can run.
 *
 * One timer fires at a time, in order of (time, insertion); after each the ready queue is drained (a macrotask runs
 * only when the microtask queue is empty), so the same program makes the same steps on every run.
 */
export class VirtualClock implements Clock {
  private readonly heap: Entry[] = [];
  private time: number;
  private readonly start: number;
  private order = 0;

  constructor(startUnixMs = Date.UTC(2026, 0, 5, 8, 0, 0)) {
    this.time = startUnixMs;
    this.start = startUnixMs;
  }

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time - this.start;
  }

  timer(ms: number, run: () => void): Cancel {
    const entry: Entry = { at: this.time + Math.max(0, ms), order: this.order++, run, cancelled: false };
    this.push(entry);
    return () => {
      entry.cancelled = true;
    };
  }

  every(ms: number, run: () => void): Cancel {
    let stopped = false;
    let cancel: Cancel = () => undefined;
    const arm = () => {
      cancel = this.timer(ms, () => {
        if (stopped) return;
        arm();
        run();
      });
    };
    arm();
    return () => {
      stopped = true;
      cancel();
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** Timers that wait; for the idle test. */
  get pending(): number {
    return this.heap.filter((entry) => !entry.cancelled).length;
  }

  /** Lets everything that is ready run, without moving time. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** Moves time by `ms`, firing what falls due. */
  async advance(ms: number): Promise<void> {
    const until = this.time + ms;
    await this.settle();
    while (this.next(until)) await this.settle();
    this.time = until;
  }

  /** Runs until `work` settles, at most `maxMs` of virtual time. @throws the rejection of `work`, or a stall. */
  async run<T>(work: Promise<T>, maxMs = 3_600_000): Promise<T> {
    let state: 'pending' | 'settled' = 'pending';
    const watched = work.finally(() => {
      state = 'settled';
    });
    watched.catch(() => undefined);
    const until = this.time + maxMs;
    const isPending = () => state === 'pending';
    await this.settle();
    while (isPending()) {
      if (!this.next(until)) throw new Error(`virtual clock: work did not settle within ${maxMs} ms`);
      await this.settle();
    }
    return watched;
  }

  /** Fires the earliest timer that is due by `until`; false when there is none. */
  private next(until: number): boolean {
    let entry = this.pop(until);
    while (entry?.cancelled) entry = this.pop(until);
    if (!entry) return false;
    this.time = Math.max(this.time, entry.at);
    entry.run();
    return true;
  }

  private push(entry: Entry): void {
    const heap = this.heap;
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (before(heap[parent] as Entry, entry)) break;
      heap[index] = heap[parent] as Entry;
      index = parent;
    }
    heap[index] = entry;
  }

  private pop(until: number): Entry | undefined {
    const heap = this.heap;
    const top = heap[0];
    if (!top || top.at > until) return undefined;
    const last = heap.pop() as Entry;
    if (heap.length === 0) return top;
    let index = 0;
    for (;;) {
      let child = index * 2 + 1;
      const right = child + 1;
      if (right < heap.length && before(heap[right] as Entry, heap[child] as Entry)) child = right;
      if (child >= heap.length || before(last, heap[child] as Entry)) break;
      heap[index] = heap[child] as Entry;
      index = child;
    }
    heap[index] = last;
    return top;
  }
}

function before(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
