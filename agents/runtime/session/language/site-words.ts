import type { Language, Site } from '../../../../shared/site.js';
import { PhraseTrie } from './phrase-trie.js';
import type { RulePack } from './rule-pack.js';
import { tokenise } from './tokenise.js';
import { letterOf, zoneName } from './zone-name.js';

/** Which objects of the site a phrase may mean. */
export interface Named {
  readonly kind: 'device' | 'person' | 'zone' | 'point';
  readonly ids: readonly string[];
}

/** `plc` + 7 → `PLC-007`: ids that end in a number, by prefix. */
export interface NumberedDevices {
  /** Token(s) of the prefix, lower case. */
  readonly prefix: string;
  /** Prefix as the site writes it. */
  readonly written: string;
  readonly digits: number;
  readonly byNumber: ReadonlyMap<number, string>;
}

/** The words of a site, compiled once for a site and a set of packs. */
export interface SiteWords {
  readonly names: PhraseTrie<Named>;
  /** Nouns in front of or behind a device number. */
  readonly nouns: PhraseTrie<NumberedDevices>;
  /** Numbered devices, a group for each prefix. */
  readonly numbered: readonly NumberedDevices[];
  readonly zones: readonly { readonly id: string; readonly floor: number; readonly letter: string }[];
  readonly floors: readonly number[];
  /** What codes begin with, lower case: ids that are made up at run time and stand in no site. */
  readonly codes: ReadonlySet<string>;
  readonly pointsOf: ReadonlyMap<string, ReadonlyMap<string, { readonly access: 'r' | 'rw' }>>;
  readonly writtenAs: ReadonlyMap<string, string>;
  label(kind: string, id: string, language: Language): string;
  /** Names of the agents that serve it. */
  servedBy(kind: string, id: string | number): readonly string[];
  /** All objects of a kind, with their names. */
  named(kind: string): readonly { readonly id: string; readonly names: readonly string[] }[];
}

const NOUNS: Readonly<Record<string, readonly string[]>> = {
  plc: ['plc', '控制器', 'controller'],
  ac: ['ac', '空调', '空调机', '分体空调', 'air conditioner', 'split unit'],
  ahu: ['ahu', '空调箱', '空气处理机', '空调机组', 'air handler'],
  vav: ['vav', '变风量箱', 'vav box'],
  m: ['m', '电表', 'meter'],
  cam: ['cam', '摄像头', 'camera'],
  brk: ['brk', '断路器', 'breaker'],
};

const merged = (old: Named, added: Named): Named =>
  old.kind === added.kind ? { kind: old.kind, ids: [...new Set([...old.ids, ...added.ids])] } : old;

export function compileSiteWords(site: Site, packs: readonly RulePack[]): SiteWords {
  const names = new PhraseTrie<Named>();
  const add = (phrase: string, kind: Named['kind'], id: string): void => {
    names.add(
      tokenise(phrase).map((token) => token.text),
      { kind, ids: [id] },
      merged,
    );
  };
  for (const device of site.devices) {
    for (const name of [device.id, ...device.names]) add(name, 'device', device.id);
  }
  for (const one of [...site.people, ...site.groups]) {
    for (const name of [one.id, ...one.names.zh, ...one.names.en]) add(name, 'person', one.id);
  }
  const zones = site.floors.flatMap((floor) => floor.zones);
  for (const zone of zones) for (const name of [zone.id, zone.name]) add(name, 'zone', zone.id);
  const numbered = numberedDevices(site);
  const writtenAs = addPoints(site, packs, add);
  return {
    names,
    nouns: nounsOf(numbered),
    numbered,
    zones: zones.map((zone) => ({ id: zone.id, floor: zone.floor, letter: letterOf(zone.id) ?? '' })),
    floors: site.floors.map((floor) => floor.floor),
    codes: codePrefixes(packs),
    pointsOf: new Map(
      site.devices.map((device) => [
        device.id,
        new Map(device.points.map((point) => [point.name, { access: point.access }])),
      ]),
    ),
    writtenAs,
    label: labels(site),
    servedBy: (kind, id) =>
      site.agents
        .filter((agent) => {
          const served: readonly (string | number)[] =
            kind === 'zone' ? agent.zones : kind === 'floor' ? agent.floors : agent.devices;
          return served.includes(id);
        })
        .map((agent) => agent.name),
    named: (kind) => namedObjects(site, kind),
  };
}

/** Letters that begin the codes of all packs. */
const codePrefixes = (packs: readonly RulePack[]): ReadonlySet<string> =>
  new Set(
    packs.flatMap(({ intents }) =>
      intents.flatMap(({ slots }) =>
        Object.values(slots).flatMap(({ entity, pattern_prefix }) =>
          entity === 'code' ? (pattern_prefix?.toLowerCase() ?? []) : [],
        ),
      ),
    ),
  );

function addPoints(
  site: Site,
  packs: readonly RulePack[],
  add: (phrase: string, kind: 'point', id: string) => void,
): ReadonlyMap<string, string> {
  const writtenAs = new Map<string, string>();
  const known = new Set(site.devices.flatMap((device) => device.points.map((point) => point.name)));
  for (const name of known) {
    add(name, 'point', name);
    add(name.split('_').join(' '), 'point', name);
    add(name.split('_').join(' ').replace('setpoint', 'set-point'), 'point', name);
  }
  for (const pack of packs) {
    for (const [name, words] of Object.entries(pack.points)) {
      for (const word of [...words.zh, ...words.en]) add(word, 'point', name);
      if (words.written_as !== undefined) writtenAs.set(name, words.written_as);
    }
  }
  return writtenAs;
}

function numberedDevices(site: Site): readonly NumberedDevices[] {
  const groups = new Map<string, NumberedDevices & { readonly byNumber: Map<number, string> }>();
  for (const { id } of site.devices) {
    const parts = /^([A-Za-z]+)-?(\d+)$/.exec(id);
    if (!parts?.[1] || !parts[2]) continue;
    const prefix = parts[1].toLowerCase();
    const [, written, digits] = parts;
    const group = groups.get(prefix) ?? { prefix, written, digits: digits.length, byNumber: new Map() };
    group.byNumber.set(Number(parts[2]), id);
    groups.set(prefix, group);
  }
  return [...groups.values()];
}

function nounsOf(groups: readonly NumberedDevices[]): PhraseTrie<NumberedDevices> {
  const nouns = new PhraseTrie<NumberedDevices>();
  for (const group of groups) {
    for (const noun of NOUNS[group.prefix] ?? [group.prefix]) {
      nouns.add(
        tokenise(noun).map((token) => token.text),
        group,
      );
    }
  }
  return nouns;
}

function labels(site: Site): SiteWords['label'] {
  const zones = new Map(site.floors.flatMap((floor) => floor.zones).map((zone) => [zone.id, zone]));
  const people = new Map([...site.people, ...site.groups].map((one) => [one.id, one.names]));
  return (kind, id, language) => {
    const zone = kind === 'zone' ? zones.get(id) : undefined;
    if (zone) return zoneName(zone, language);
    if (kind !== 'person') return id;
    const named = people.get(id);
    return named?.[language][0] ?? named?.zh[0] ?? id;
  };
}

function namedObjects(site: Site, kind: string): readonly { id: string; names: readonly string[] }[] {
  if (kind === 'device') return site.devices.map((one) => ({ id: one.id, names: [one.id, ...one.names] }));
  if (kind === 'zone')
    return site.floors.flatMap((floor) => floor.zones.map((one) => ({ id: one.id, names: [one.name] })));
  if (kind !== 'person') return [];
  return [...site.people, ...site.groups].map((one) => ({
    id: one.id,
    names: [one.id, ...one.names.zh, ...one.names.en],
  }));
}
