/** A key and the instance that owns it; undefined: nobody who lives. */
export interface Holding {
  readonly key: string;
  readonly owner: string | undefined;
}

export interface Claims {
  /** Free keys that this instance is to take. */
  readonly take: readonly string[];
  /** A key of this instance that it is to hand over, and to whom. */
  readonly give?: { readonly key: string; readonly to: string };
}

/**
 * How the keys of a component are spread over its instances, decided by each for itself from what it sees; the
 * compare-and-swap on the key decides when two see it differently. A free key goes to the instance that owns fewest
 * (ties by name); an owner with at least 2 more than the least loaded hands one over; one that drains, all.
 * @param able instances that may own, by name; one that drains is not among them.
 */
export function balance(self: string, able: readonly string[], holdings: readonly Holding[]): Claims {
  const load = new Map(able.map((instance) => [instance, 0]));
  for (const { owner } of holdings)
    if (owner !== undefined && load.has(owner)) load.set(owner, loadOf(load, owner) + 1);
  const take: string[] = [];
  for (const { key, owner } of holdings) {
    if (owner !== undefined) continue;
    const next = least(load);
    if (next === undefined) break;
    load.set(next, loadOf(load, next) + 1);
    if (next === self) take.push(key);
  }
  const mine = holdings.filter(({ owner }) => owner === self).map(({ key }) => key);
  const to = least(load);
  const last = mine.at(-1);
  if (last === undefined || to === undefined || to === self) return { take };
  const tooMany = !load.has(self) || loadOf(load, self) >= loadOf(load, to) + 2;
  return tooMany ? { take, give: { key: last, to } } : { take };
}

const loadOf = (load: ReadonlyMap<string, number>, instance: string): number => load.get(instance) ?? 0;

function least(load: ReadonlyMap<string, number>): string | undefined {
  let found: string | undefined;
  for (const instance of [...load.keys()].sort()) {
    if (found === undefined || loadOf(load, instance) < loadOf(load, found)) found = instance;
  }
  return found;
}
