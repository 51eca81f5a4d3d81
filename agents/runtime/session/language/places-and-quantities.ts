import { type Entity, numberAt, type Recogniser, type Scan, sourceOf } from './entities.js';

const word = (scan: Scan, at: number): string => scan.tokens[at]?.text ?? '';

const FLOOR_WORDS: ReadonlySet<string> = new Set(['楼', '层', 'f']);
const ORDINALS: ReadonlyMap<string, number> = new Map([
  ['first', 1],
  ['second', 2],
  ['third', 3],
  ['fourth', 4],
  ['fifth', 5],
  ['ground', 1],
]);
const SUFFIXES: ReadonlySet<string> = new Set(['st', 'nd', 'rd', 'th']);

/** 三楼, 3层, 3F, F3, floor 3, 3rd floor, third floor. */
function floorAt(scan: Scan, at: number): { floor: number; end: number } | undefined {
  const first = word(scan, at);
  if (first === 'floor' || first === 'f' || first === 'level') {
    const number = numberAt(scan, at + 1);
    return number ? { floor: number.value, end: number.end } : undefined;
  }
  const ordinal = ORDINALS.get(first);
  if (ordinal !== undefined && word(scan, at + 1) === 'floor') return { floor: ordinal, end: at + 2 };
  const number = numberAt(scan, first === '第' ? at + 1 : at);
  if (!number) return undefined;
  if (FLOOR_WORDS.has(word(scan, number.end))) return { floor: number.value, end: number.end + 1 };
  if (SUFFIXES.has(word(scan, number.end)) && word(scan, number.end + 1) === 'floor') {
    return { floor: number.value, end: number.end + 2 };
  }
  return undefined;
}

/** A区, zone A, A zone. */
function letterAt(scan: Scan, at: number): { letter: string; end: number } | undefined {
  const first = word(scan, at);
  if (first === 'zone' || first === 'area') {
    const letter = word(scan, at + 1);
    return letter.length === 1 ? { letter, end: at + 2 } : undefined;
  }
  if (first.length !== 1 || !/[a-z]/.test(first)) return undefined;
  const after = word(scan, at + 1);
  return after === '区' || after === 'zone' ? { letter: first, end: at + 2 } : undefined;
}

const LINKS: ReadonlySet<string> = new Set(['的', '-', 'of', 'on', 'in', ',', "'s"]);

function zone(scan: Scan, at: number, end: number, floor: number, letter: string): Entity {
  const known = scan.site.zones.find((one) => one.floor === floor && one.letter === letter);
  const text = sourceOf(scan, at, end);
  const nearest = scan.site.zones.filter((one) => one.floor === floor || one.letter === letter).map((one) => one.id);
  const value = known ? { text, ids: [known.id] } : { text, ids: [], nearest: nearest.slice(0, 3) };
  return { kind: 'zone', start: at, end, values: [value] };
}

export const zoneOfFloor: Recogniser = {
  name: 'zone_of_floor',
  find(scan, at) {
    const floor = floorAt(scan, at);
    if (floor) {
      const next = LINKS.has(word(scan, floor.end)) ? floor.end + 1 : floor.end;
      const letter = letterAt(scan, next);
      if (letter) return zone(scan, at, letter.end, floor.floor, letter.letter);
      const known = scan.site.floors.includes(floor.floor);
      const value = { text: sourceOf(scan, at, floor.end), ids: known ? [floor.floor] : [] };
      return { kind: 'floor', start: at, end: floor.end, values: [value] };
    }
    const letter = letterAt(scan, at);
    if (!letter) return undefined;
    const next = LINKS.has(word(scan, letter.end)) ? letter.end + 1 : letter.end;
    const behind = floorAt(scan, next);
    return behind ? zone(scan, at, behind.end, behind.floor, letter.letter) : undefined;
  },
};

/** Unit words → the unit as points write it. */
const UNITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    度: '°C',
    摄氏度: '°C',
    '℃': '°C',
    '°c': '°C',
    '°': '°C',
    c: '°C',
    celsius: '°C',
    degrees: '°C',
    degree: '°C',
    deg: '°C',
    degc: '°C',
    'degrees celsius': '°C',
    'degrees c': '°C',
    'degree celsius': '°C',
    'deg c': '°C',
    '%': '%',
    percent: '%',
    个百分点: '%',
    千瓦: 'kW',
    kw: 'kW',
    瓦: 'W',
    w: 'W',
    伏: 'V',
    伏特: 'V',
    v: 'V',
    volts: 'V',
    安: 'A',
    安培: 'A',
    a: 'A',
    amps: 'A',
    赫兹: 'Hz',
    赫: 'Hz',
    hz: 'Hz',
    转: 'rpm',
    rpm: 'rpm',
    转每分: 'rpm',
    分钟: 'min',
    分: 'min',
    min: 'min',
    minutes: 'min',
    秒: 's',
    s: 's',
    seconds: 's',
    小时: 'h',
    h: 'h',
    hours: 'h',
    兆帕: 'MPa',
    mpa: 'MPa',
    千帕: 'kPa',
    kpa: 'kPa',
    bar: 'bar',
  }),
);

function unitAt(scan: Scan, at: number): { unit: string; end: number } | undefined {
  for (let length = 4; length > 0; length -= 1) {
    const tokens = scan.tokens.slice(at, at + length);
    if (tokens.length < length) continue;
    const cjk = tokens.every((token) => token.kind !== 'word' || length === 1 || tokens[0]?.kind === 'mark');
    const unit = UNITS.get(tokens.map((token) => token.text).join(cjk ? '' : ' '));
    if (unit !== undefined) return { unit, end: at + length };
  }
  return undefined;
}

const MINUS: ReadonlySet<string> = new Set(['-', '负', '零下', 'minus', 'negative']);

/** 45度, 百分之五十, -5 ℃, forty five percent. */
export const quantity: Recogniser = {
  name: 'quantity',
  find(scan, at) {
    const share = word(scan, at) === '百' && word(scan, at + 1) === '分' && word(scan, at + 2) === '之';
    const below = word(scan, at) === '零' && word(scan, at + 1) === '下';
    const minus = below || MINUS.has(word(scan, at));
    const from = share ? at + 3 : below ? at + 2 : minus ? at + 1 : at;
    const number = numberAt(scan, from);
    if (!number) return undefined;
    const unit = share ? { unit: '%', end: number.end } : unitAt(scan, number.end);
    const end = unit?.end ?? number.end;
    const value = { text: sourceOf(scan, at, end), ids: [minus ? -number.value : number.value] };
    return { kind: 'number', start: at, end, values: [unit ? { ...value, unit: unit.unit } : value] };
  },
};
