import type { Language, Site } from '../../../shared/site.js';
import { type RulePack, zoneName } from '../session/index.js';
import type { SaidAs, Speech } from './template.js';

/** Names of people, zones, points and values as this site and this pack say them. */
export function speechOf(site: Site, language: Language, pack: RulePack | undefined): Speech {
  const tables = new Map<SaidAs, Readonly<Record<string, string>>>();
  const table = (as: SaidAs): Readonly<Record<string, string>> => {
    const known = tables.get(as) ?? Object.fromEntries(TABLES[as](site, language, pack));
    tables.set(as, known);
    return known;
  };
  const saidAs =
    (as: SaidAs) =>
    (id: string): string =>
      table(as)[id] ?? id;
  return {
    person: saidAs('person'),
    point: saidAs('point'),
    zone: saidAs('zone'),
    word: saidAs('word'),
    time: (iso) => iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2'),
    table,
    list: language === 'zh' ? '、' : ', ',
  };
}

type Rows = readonly (readonly [string, string])[];

const TABLES: Readonly<Record<SaidAs, (site: Site, language: Language, pack: RulePack | undefined) => Rows>> = {
  person: (site, language) =>
    [...site.groups, ...site.people].map(({ id, names }) => [id, names[language][0] ?? names.en[0] ?? id]),
  point: (_site, language, pack) =>
    Object.entries(pack?.points ?? {}).map(([name, words]) => [name, words[language][0] ?? name]),
  zone: (site, language) =>
    site.floors.flatMap(({ zones }) => zones.map((zone) => [zone.id, zoneName(zone, language)] as const)),
  word: (_site, language, pack) => Object.entries(pack?.words ?? {}).map(([value, said]) => [value, said[language]]),
  /** Said by a rule, not by a list. */
  time: () => [],
};
