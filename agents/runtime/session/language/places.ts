import { connector, type Entity, numberAt, type Recogniser, type Scan, sourceOf, type Value } from './entities.js';

import { isNumeral } from './numerals.js';

const word = (scan: Scan, at: number): string => scan.tokens[at]?.text ?? '';

/** No space between two tokens. */
const adjoin = (scan: Scan, at: number): boolean => scan.tokens[at]?.end === scan.tokens[at + 1]?.start;

const ORDINALS: ReadonlyMap<string, number> = new Map([
  ['ground', 1],
  ...'first second third fourth fifth sixth seventh eighth ninth tenth'
    .split(' ')
    .map((name, index): [string, number] => [name, index + 1]),
]);
const SUFFIXES: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th']);

interface Floor {
  readonly floor: number;
  readonly end: number;
}

/** 三楼, 3层, 3F, F3, floor 3, 3rd floor, third floor. */
function floorAt(scan: Scan, at: number): Floor | undefined {
  const first = word(scan, at);
  if (first === 'floor' || first === 'f' || first === 'level') {
    const number = numberAt(scan, at + 1);
    return number ? { floor: number.value, end: number.end } : undefined;
  }
  const ordinal = ORDINALS.get(first);
  if (ordinal !== undefined && word(scan, at + 1) === 'floor') return { floor: ordinal, end: at + 2 };
  const number = numberAt(scan, first === '第' ? at + 1 : at);
  if (!number) return undefined;
  const noun = word(scan, number.end);
  const isF = noun === 'f' && (adjoin(scan, number.end - 1) || !numberAt(scan, number.end + 1));
  if (noun === '楼' || noun === '层' || isF) return { floor: number.value, end: number.end + 1 };
  if (SUFFIXES.has(noun) && word(scan, number.end + 1) === 'floor') {
    return { floor: number.value, end: number.end + 2 };
  }
  return undefined;
}

interface Letter {
  readonly letter: string;
  readonly from: number;
  readonly to: number;
}

interface Letters {
  readonly letters: readonly Letter[];
  readonly end: number;
}

/** Nobody lists more. */
const MAX_LETTERS = 16;

/** Past "zone", "zones", 区域; `at` when none stands there. */
function headAt(scan: Scan, at: number): { readonly end: number; readonly plural: boolean } {
  const first = word(scan, at);
  if (first === 'zone' || first === 'area') return { end: at + 1, plural: false };
  if (first === 'zones' || first === 'areas') return { end: at + 1, plural: true };
  return { end: first === '区' && word(scan, at + 1) === '域' ? at + 2 : at, plural: false };
}

/** Past 区, 区域, "zone" behind a letter. */
function tailAt(scan: Scan, at: number): number {
  const first = word(scan, at);
  if (first === '区') return word(scan, at + 1) === '域' ? at + 2 : at + 1;
  return first === 'zone' || first === 'zones' ? at + 1 : at;
}

/** Past 两个区, 三个区 behind a list of letters. */
function countedTail(scan: Scan, at: number): number {
  const number = numberAt(scan, at);
  if (!number) return at;
  const noun = word(scan, number.end) === '个' ? number.end + 1 : number.end;
  return word(scan, noun) === '区' ? tailAt(scan, noun) : at;
}

/**
 * A区, zone A, zones A and B, A和B区, A、B两个区. A letter that nothing marks as a zone's is one only where the list
 * says so, and in English only as a capital: "zone B and a report".
 */
function lettersAt(scan: Scan, at: number): Letters | undefined {
  const head = headAt(scan, at);
  const headed = head.end > at;
  const letters: Letter[] = [];
  let sure = { count: 0, end: at };
  for (let next = head.end; letters.length < MAX_LETTERS; ) {
    const from = letters.length === 0 ? at : next;
    const own = letters.length === 0 ? head.end : headAt(scan, next).end;
    const letter = word(scan, own);
    if (!/^[a-z]$/.test(letter)) break;
    const tail = tailAt(scan, own + 1);
    const capital = isCapital(scan, own);
    const article = letter === 'a' && !capital && own === from && scan.tokens[own + 1]?.kind === 'word';
    letters.push({ letter, from, to: tail });
    const marked = own > from || (tail > own + 1 && !article) || head.plural;
    const listed = headed && capital && scan.site.zones.some((zone) => zone.letter === letter);
    if (marked || listed) sure = { count: letters.length, end: tail };
    const counted = countedTail(scan, tail);
    if (counted > tail) return { letters, end: counted };
    const joined = connector(scan, tail);
    if (joined === tail) break;
    next = joined;
  }
  return sure.count > 0 ? { letters: letters.slice(0, sure.count), end: sure.end } : undefined;
}

function isCapital(scan: Scan, at: number): boolean {
  const token = scan.tokens[at];
  return token !== undefined && /^[A-ZＡ-Ｚ]/.test(scan.text.slice(token.start, token.start + 1));
}

const LINKS: ReadonlySet<string> = new Set(['的', '-', 'of', 'on', 'in', ',', "'s"]);

/** Past what joins a floor and a zone: "on the". */
function linkAt(scan: Scan, at: number): number {
  const next = LINKS.has(word(scan, at)) ? at + 1 : at;
  return word(scan, next) === 'the' ? next + 1 : next;
}

function zoneOn(scan: Scan, floor: number, letter: string, text: string): Value {
  const { zones } = scan.site;
  const known = zones.find((one) => one.floor === floor && one.letter === letter);
  if (known) return { text, ids: [known.id] };
  const near = zones.filter((one) => one.floor === floor || one.letter === letter);
  return { text, ids: [], nearest: near.map((one) => one.id).slice(0, 3) };
}

function zonesOn(scan: Scan, at: number, end: number, floor: number, { letters }: Letters): Entity {
  const whole = sourceOf(scan, at, end);
  const text = ({ letter }: Letter): string => {
    if (letters.length === 1) return whole;
    const big = letter.toUpperCase();
    return /[楼层]/.test(whole) ? `${floor}楼${big}区` : `zone ${big} on floor ${floor}`;
  };
  const values = letters.map((one) => zoneOn(scan, floor, one.letter, text(one)));
  return { kind: 'zone', start: at, end, values };
}

/** F3-A, F9-A, F3A, 3A区, zone 3A, written together; a zone by its name behind "zone". */
function codeAt(scan: Scan, at: number): Entity | undefined {
  const head = headAt(scan, at).end;
  const named = head > at ? scan.site.names.longest(scan.tokens, head) : undefined;
  if (named?.value.kind === 'zone') {
    const end = tailAt(scan, named.end);
    return { kind: 'zone', start: at, end, values: [{ text: sourceOf(scan, at, end), ids: named.value.ids }] };
  }
  const digits = word(scan, head) === 'f' ? head + 1 : head;
  if (scan.tokens[digits]?.kind !== 'number' || (digits > head && !adjoin(scan, head))) return undefined;
  const dash = ['-', '_'].includes(word(scan, digits + 1)) && adjoin(scan, digits) ? digits + 2 : digits + 1;
  const letter = word(scan, dash);
  if (!/^[a-z]$/.test(letter) || !adjoin(scan, dash - 1)) return undefined;
  const bare = digits === head && head === at;
  const end = bare && word(scan, dash + 1) !== '区' ? dash + 1 : tailAt(scan, dash + 1);
  if (bare && end === dash + 1) return undefined;
  const value = zoneOn(scan, Number(word(scan, digits)), letter, sourceOf(scan, at, end));
  return { kind: 'zone', start: at, end, values: [value] };
}

const BEGINNINGS: ReadonlySet<string> = new Set([
  ...ORDINALS.keys(),
  ...['floor', 'level', 'zone', 'area', 'zones', 'areas', '区', '第'],
]);

/** Most words begin no place; they cost one look. */
function mayBegin(scan: Scan, at: number): boolean {
  const token = scan.tokens[at];
  if (!token || token.kind === 'mark') return false;
  if (token.kind === 'number' || BEGINNINGS.has(token.text)) return true;
  return token.kind === 'cjk' ? isNumeral(token.text) : token.text.length === 1;
}

/** A floor, or zones of one: 三楼A区, F3-A, zones A and B on the third floor. A zone without its floor is any of them. */
export const place: Recogniser = {
  name: 'place',
  find(scan, at) {
    if (!mayBegin(scan, at)) return undefined;
    const code = codeAt(scan, at);
    if (code) return code;
    const floor = floorAt(scan, at);
    if (floor) {
      const next = linkAt(scan, floor.end);
      const letters = lettersAt(scan, next);
      const theirs = letters && word(scan, floor.end) === ',' && floorAt(scan, linkAt(scan, letters.end));
      if (letters && !theirs) return zonesOn(scan, at, letters.end, floor.floor, letters);
      const known = scan.site.floors.includes(floor.floor);
      const value = { text: sourceOf(scan, at, floor.end), ids: known ? [floor.floor] : [] };
      return { kind: 'floor', start: at, end: floor.end, values: [value] };
    }
    const letters = lettersAt(scan, at);
    if (!letters) return undefined;
    const behind = floorAt(scan, linkAt(scan, letters.end));
    if (behind) return zonesOn(scan, at, behind.end, behind.floor, letters);
    const values = letters.letters.map(({ letter, from, to }): Value => {
      const ids = scan.site.zones.filter((zone) => zone.letter === letter).map((zone) => zone.id);
      return { text: sourceOf(scan, from, to), ids };
    });
    const marked = scan.tokens[letters.end - 1]?.kind === 'cjk';
    if (!marked && values.some(({ ids }) => ids.length === 0)) return undefined;
    return { kind: 'zone', start: at, end: letters.end, values };
  },
};

/** B区 after 三楼A区: on the floor of the zone before it. */
export function zonesLike(scan: Scan, before: Value | undefined, at: number): Entity | undefined {
  const floor = scan.site.zones.find((zone) => zone.id === before?.ids[0])?.floor;
  const letters = floor === undefined || before?.ids.length !== 1 ? undefined : lettersAt(scan, at);
  if (floor === undefined || !letters || floorAt(scan, linkAt(scan, letters.end))) return undefined;
  return zonesOn(scan, at, letters.end, floor, letters);
}
