/** A request that waits for its turn on a link that serves one at a time. */
export interface InLine {
  readonly unit: number;
  /** It changes the device: goes before reads, and never before an earlier change of the same unit. */
  readonly effect: boolean;
}

/** A unit that left a request without an answer stands behind the others for so long, ms; then it is tried again. */
const SILENT_FOR_MS = 3_000;

/**
 * Whose turn it is on a shared link: changes before reads, units in turn, each unit's requests in their order. A unit
 * that gave no answer lately waits until no unit that answers has anything to ask, so that its silence costs the others
 * one time-out in `SILENT_FOR_MS` and no more.
 */
export class FairLine<Entry extends InLine> {
  readonly #monotonic: () => number;
  #waiting: readonly Entry[] = [];
  readonly #silentSince = new Map<number, number>();
  /** Unit → number of the turn that it had last. */
  readonly #served = new Map<number, number>();
  #turns = 0;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  get length(): number {
    return this.#waiting.length;
  }

  add(entry: Entry): void {
    this.#waiting = [...this.#waiting, entry];
  }

  remove(entry: Entry): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
  }

  /** Takes out the entry whose turn it is. */
  take(): Entry | undefined {
    let first: Entry | undefined;
    for (const entry of this.#waiting) if (!first || this.#isBefore(entry, first)) first = entry;
    if (!first) return undefined;
    this.remove(first);
    this.#turns += 1;
    this.#served.set(first.unit, this.#turns);
    return first;
  }

  /** The unit left a request without an answer. */
  silent(unit: number): void {
    this.#silentSince.set(unit, this.#monotonic());
  }

  answered(unit: number): void {
    this.#silentSince.delete(unit);
  }

  /** Of two entries in their order of arrival, whether the later one overtakes. */
  #isBefore(later: Entry, former: Entry): boolean {
    const rank = this.#rank(later) - this.#rank(former);
    if (rank !== 0) return rank < 0;
    return (this.#served.get(later.unit) ?? 0) < (this.#served.get(former.unit) ?? 0);
  }

  #rank({ unit, effect }: Entry): number {
    const since = this.#silentSince.get(unit);
    const silent = since !== undefined && this.#monotonic() - since < SILENT_FOR_MS;
    return (silent ? 2 : 0) + (effect ? 0 : 1);
  }
}
