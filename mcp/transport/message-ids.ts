import type { Clock } from '../../shared/clock.js';

/** Contract: at least two minutes. */
const KEPT_MS = 150_000;

/**
 * When the message ids of a log may be forgotten, oldest first. By the monotonic clock: ids found at opening count as
 * new, so a wrong wall clock forgets none too early.
 */
export class MessageIds {
  private readonly kept = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly keptMs = KEPT_MS,
  ) {}

  add(key: string): void {
    this.kept.delete(key);
    this.kept.set(key, this.clock.monotonic());
  }

  restart(keys: Iterable<string>): void {
    this.kept.clear();
    for (const key of keys) this.add(key);
  }

  /** At most `max` keys whose time is over. */
  due(max: number): readonly string[] {
    const before = this.clock.monotonic() - this.keptMs;
    const out: string[] = [];
    for (const [key, since] of this.kept) {
      if (since > before || out.length >= max) break;
      out.push(key);
    }
    return out;
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.kept.delete(key);
  }
}
