import type { Language } from '../../../../shared/site.js';
import { code } from './codes.js';
import {
  alternative,
  connector,
  type Entity,
  numberAt,
  numbered,
  RECOGNISERS,
  type Scan,
  sourceOf,
  type Value,
} from './entities.js';
import type { Lexicon, MarkerClass } from './lexicon.js';
import { place, zonesLike } from './places.js';
import { quantity } from './quantities.js';
import type { SiteWords } from './site-words.js';
import { languageOf, type Token, tokenise } from './tokenise.js';

export interface Marker {
  readonly kind: MarkerClass;
  readonly end: number;
}

/** A sentence with its entities and words of grammar, by the token at which each begins. */
export interface Reading extends Scan {
  readonly language: Language;
  readonly tokens: readonly Token[];
  readonly entities: ReadonlyMap<number, Entity>;
  readonly markers: ReadonlyMap<number, Marker>;
}

const CLOSING: ReadonlyMap<string, string> = new Map([
  ['“', '”'],
  ['”', '”'],
  ['„', '“'],
  ['「', '」'],
  ['『', '』'],
  ['«', '»'],
  ['"', '"'],
  ["'", "'"],
  ['`', '`'],
]);

/** One pass from left to right; at each token the longest of entity and word of grammar is taken. */
export function read(text: string, site: SiteWords, lexicon: Lexicon, language?: Language): Reading {
  const tokens = tokenise(text);
  const scan: Scan = { text, tokens, site };
  const find = finder(scan);
  const entities = new Map<number, Entity>();
  const markers = new Map<number, Marker>();
  let zone: Value | undefined;
  let at = 0;
  while (at < tokens.length) {
    const quote = quotation(scan, at);
    const first = quote ?? find(at);
    const entity = (first?.kind === 'zone' && zonesLike(scan, zone, at)) || first;
    const marker = lexicon.longest(tokens, at);
    const listed = entity && !quote ? lengthened(scan, find, entity) : entity;
    if (entity && listed && entity.end >= (marker?.end ?? 0)) {
      entities.set(at, listed);
      if (listed.kind === 'zone') zone = listed.values.at(-1);
      at = listed.end;
    } else if (marker) {
      markers.set(at, { kind: marker.value, end: marker.end });
      at = marker.end;
    } else {
      at += 1;
    }
  }
  return { ...scan, language: language ?? languageOf(tokens), entities, markers };
}

const TABLE = [...RECOGNISERS, place, quantity, code];

type Finder = (at: number) => Entity | undefined;

/** Looks at each token once, however often lists try it. */
function finder(scan: Scan): Finder {
  const known = new Map<number, Entity | undefined>();
  return (at) => {
    if (!known.has(at)) known.set(at, entityAt(scan, at));
    return known.get(at);
  };
}

function entityAt(scan: Scan, at: number): Entity | undefined {
  let best: Entity | undefined;
  for (const recogniser of TABLE) {
    const found = recogniser.find(scan, at);
    if (found && found.end > (best?.end ?? at)) best = found;
  }
  return best;
}

/** What stands in quotation marks is text and nothing else. An unclosed mark holds the rest, an apostrophe nothing. */
function quotation(scan: Scan, at: number): Entity | undefined {
  const open = scan.tokens[at]?.text ?? '';
  const close = CLOSING.get(open);
  if (close === undefined) return undefined;
  let end = at + 1;
  while (end < scan.tokens.length && scan.tokens[end]?.text !== close) end += 1;
  if (end === scan.tokens.length && open === "'") return undefined;
  const text = sourceOf(scan, at + 1, end);
  return { kind: 'text', start: at, end: Math.min(end + 1, scan.tokens.length), values: [{ text, ids: [text] }] };
}

/**
 * Joins the members of a list, "PLC-003、004 and PLC-005", into one entity. Members that a comma or nothing but space
 * separates count only where the list ends the clause: "重启PLC-003，PLC-004查状态" is no list.
 */
function lengthened(scan: Scan, find: Finder, first: Entity): Entity {
  if (first.kind === 'number' || first.kind === 'text') return first;
  const values: Value[] = [...first.values];
  let sure = { end: first.end, count: values.length };
  let end = first.end;
  let oneOf = false;
  while (values.length < MAX_LIST) {
    const before = end;
    const either = alternative(scan, end);
    const joined = Math.max(connector(scan, end), either);
    const comma = joined === end && scan.tokens[end]?.text === ',';
    const from = comma ? end + 1 : joined;
    const next = find(from);
    const more = joined > end || comma;
    const like = next?.kind === 'zone' && more ? zonesLike(scan, values.at(-1), from) : undefined;
    const member = like ?? (next?.kind === first.kind ? next : more ? bareNumber(scan, first, from) : undefined);
    if (!member || values.length - sure.count > MAX_UNSURE) break;
    values.push(...member.values);
    oneOf ||= either > before;
    end = member.end;
    const sureUpTo = sure.end === before && joined > before;
    if (sureUpTo || standsAtEnd(scan, end)) sure = { end, count: values.length };
  }
  const list = { ...first, end: sure.end, values: values.slice(0, sure.count) };
  return oneOf ? { ...list, either: true } : list;
}

/** Nobody lists more by name. */
const MAX_LIST = 64;

/** Members whose list has not proved to be one. */
const MAX_UNSURE = 8;

function standsAtEnd(scan: Scan, at: number): boolean {
  const next = scan.tokens[at]?.text;
  return next === undefined || ',.;!?\n'.includes(next) || connector(scan, at) > at;
}

/** `004` after `PLC-003、`. */
function bareNumber(scan: Scan, first: Entity, at: number): Entity | undefined {
  if (first.kind !== 'device') return undefined;
  const noun = scan.site.nouns.longest(scan.tokens, first.start);
  const number = numberAt(scan, at);
  if (!noun || !number || quantity.find(scan, at)?.values[0]?.unit !== undefined) return undefined;
  const end = scan.tokens[number.end]?.text === '号' ? number.end + 1 : number.end;
  return { kind: 'device', start: at, end, values: [numbered(scan, noun.value, number.value, at, end)] };
}
