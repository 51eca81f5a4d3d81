import canonicalize from 'canonicalize';
import type { Serving } from '../../../../shared/site.js';
import type { RulePack } from './rule-pack.js';

/** A pack and the component (name without version) that announced it. */
export interface ComponentPack {
  readonly component: string;
  readonly pack: RulePack;
}

/** Equal packs are one set of rules: of three floors with the same agent, each sentence is read once. */
export interface PackGroup {
  readonly components: readonly string[];
  readonly pack: RulePack;
}

export function groupPacks(packs: readonly ComponentPack[]): readonly PackGroup[] {
  const groups = new Map<string, { components: string[]; pack: RulePack }>();
  for (const { component, pack } of packs) {
    const content = canonicalize(pack) ?? '';
    const group = groups.get(content);
    if (!group) groups.set(content, { components: [component], pack });
    else if (!group.components.includes(component)) group.components.push(component);
  }
  return [...groups.values()];
}

/** Kinds of things that agents serve. A slot of such a kind names what a call is about, one call for each of them. */
export type Thing = 'device' | 'zone' | 'floor';

export const isThing = (kind: string): kind is Thing => kind === 'device' || kind === 'zone' || kind === 'floor';

/** What was named: its ids, and where the site has none of that name, the nearest that it has. */
interface NamedThing {
  readonly ids: readonly (string | number)[];
  readonly nearest?: readonly string[];
}

/** Which of the components of one group serves a thing. Where the site says nothing of them, the first serves all. */
export class Servers {
  readonly components: readonly string[];
  /** None: nobody of the group has a row that serves anything. */
  readonly #by: ReadonlyMap<Thing, ReadonlyMap<string | number, readonly string[]>> | undefined;
  readonly #first: readonly string[];

  constructor(components: readonly string[], agents: readonly Serving[]) {
    // One that joined without a row never takes the place of one that the site lists.
    const listedFirst = components.filter((name) => agents.some((agent) => agent.name === name));
    this.components = [...listedFirst, ...components.filter((name) => !listedFirst.includes(name))];
    this.#first = this.components.slice(0, 1);
    const rows = agents.filter(
      ({ name, devices, zones, floors }) =>
        components.includes(name) && devices.length + zones.length + floors.length > 0,
    );
    if (rows.length === 0) return;
    this.#by = new Map([
      ['device', listed(rows, ({ devices }) => devices)],
      ['zone', listed(rows, ({ zones }) => zones)],
      ['floor', listed(rows, ({ floors }) => floors)],
    ]);
  }

  of(kind: Thing, id: string | number): readonly string[] {
    return this.#by ? (this.#by.get(kind)?.get(id) ?? []) : this.#first;
  }

  /** Whether a sentence about it may be meant for this group; what the site does not know goes where its like goes. */
  mayServe(kind: Thing, { ids, nearest = [] }: NamedThing): boolean {
    const likes = ids.length > 0 ? ids : nearest;
    return likes.length === 0 || likes.some((id) => this.of(kind, id).length > 0);
  }

  /** A name that several things bear means those that the group serves, where there are any. */
  narrowed<T extends NamedThing>(kind: Thing, value: T): T {
    if (value.ids.length < 2) return value;
    const served = value.ids.filter((id) => this.of(kind, id).length > 0);
    return served.length > 0 ? { ...value, ids: served } : value;
  }
}

function listed(
  rows: readonly Serving[],
  of: (row: Serving) => readonly (string | number)[],
): ReadonlyMap<string | number, readonly string[]> {
  const by = new Map<string | number, string[]>();
  for (const row of rows) {
    for (const id of of(row)) {
      const names = by.get(id);
      if (names) names.push(row.name);
      else by.set(id, [row.name]);
    }
  }
  return by;
}
