import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { RecordBook, View } from '../record/index.js';
import type { OwnedKey } from './keys.js';
import type { Owners } from './owners.js';

export interface Held {
  readonly epoch: number;
  /** @throws HermesError `owner_moved`; with `unconfirmed: true` when too long has passed: hold it again. */
  readonly guard: () => void;
}

export interface ActingDeps {
  readonly record: RecordBook;
  readonly view: View;
  readonly clock: Clock;
  readonly owners: Owners;
  /** Age of this instance's own renewal, ms. */
  readonly renewedAgoMs: () => number;
  /** Told when the keys have changed. */
  readonly changed: (ids: readonly string[]) => void;
}

/** Keys on which this instance acts, and since when it knows that they are its own. */
export class Acting {
  private readonly keys = new Map<string, { readonly epoch: number; confirmedAt: number }>();

  constructor(private readonly deps: ActingDeps) {}

  get ids(): readonly string[] {
    return [...this.keys.keys()].sort();
  }

  has(key: OwnedKey): boolean {
    return this.keys.has(key.id);
  }

  epoch(key: OwnedKey): number | undefined {
    return this.keys.get(key.id)?.epoch;
  }

  /** Known from the record as far as the view has it: before the first write the log itself is asked. */
  begin(key: OwnedKey, epoch: number): void {
    this.keys.set(key.id, { epoch, confirmedAt: Number.NEGATIVE_INFINITY });
    this.deps.changed(this.ids);
  }

  /** @returns whether it acted on it. */
  end(key: OwnedKey): boolean {
    const acted = this.keys.delete(key.id);
    if (acted) this.deps.changed(this.ids);
    return acted;
  }

  /** The right to write, looked up in the log when what is known is too old. */
  async hold(key: OwnedKey): Promise<Held> {
    const { clock, owners } = this.deps;
    const from = clock.monotonic();
    const known = this.keys.get(key.id);
    if (known && !this.isFresh(known.confirmedAt)) await this.confirm(key);
    const held = this.keys.get(key.id);
    if (!held) throw owners.moved(key);
    const guard = (): void => {
      const still = this.keys.get(key.id);
      if (still?.epoch !== held.epoch) throw owners.moved(key);
      const justNow = still.confirmedAt >= from && clock.monotonic() - from <= LIMITS.confirmedNowMs;
      if (this.isFresh(still.confirmedAt) || justNow) return;
      const message = `who owns ${key.id} has to be looked up again`;
      throw new HermesError('owner_moved', message, { unconfirmed: true, sent: false });
    };
    return { epoch: held.epoch, guard };
  }

  /** What was confirmed counts for 2 s, while the instance's own renewals arrive (it is dead after 5 s). */
  private isFresh(confirmedAt: number): boolean {
    const age = this.deps.clock.monotonic() - confirmedAt;
    return age <= LIMITS.confirmedMs && this.deps.renewedAgoMs() <= LIMITS.renewalTrustMs;
  }

  private async confirm(key: OwnedKey): Promise<void> {
    const { record, view, clock } = this.deps;
    const asked = clock.monotonic();
    const { seq } = await record.head(key.scope);
    await view.waitFor(seq);
    const mine = this.keys.get(key.id);
    if (mine) mine.confirmedAt = asked;
  }
}
