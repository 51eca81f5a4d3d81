/** How many calls use each key, and a bell for those who wait until something changes. */
export class InUse {
  private readonly counts = new Map<string, number>();
  private readonly waiting = new Set<() => void>();

  has(id: string): boolean {
    return this.counts.has(id);
  }

  async run<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.counts.get(id) ?? 1) - 1;
      if (left > 0) this.counts.set(id, left);
      else this.counts.delete(id);
      if (left === 0) this.ring();
    }
  }

  /** How many wait for a change. */
  get waiters(): number {
    return this.waiting.size;
  }

  /** Resolves at the next change, or when the signal aborts. */
  changed(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.waiting.add(done);
      if (signal?.aborted) done();
      else signal?.addEventListener('abort', done, { once: true });
    });
  }

  ring(): void {
    for (const resolve of [...this.waiting]) resolve();
  }
}
