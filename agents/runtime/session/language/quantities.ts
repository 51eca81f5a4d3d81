import { type Entity, numberAt, type Recogniser, type Scan, sourceOf } from './entities.js';
import { PhraseTrie } from './phrase-trie.js';
import { tokenise } from './tokenise.js';

const word = (scan: Scan, at: number): string => scan.tokens[at]?.text ?? '';

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
    华氏度: '°F',
    '℉': '°F',
    '°f': '°F',
    f: '°F',
    fahrenheit: '°F',
    degf: '°F',
    'degrees fahrenheit': '°F',
    'degree fahrenheit': '°F',
    'degrees f': '°F',
    'deg f': '°F',
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

/** A unit in the spelling that numbers have here. */
export const unitWritten = (unit: string): string => UNITS.get(unit.toLowerCase()) ?? unit;

/** Scales that stand in front of their number: 华氏75度. */
const SCALES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['摄', new Map([['氏', '°C']])],
  ['华', new Map([['氏', '°F']])],
]);

/** Units as they fall into tokens. */
function unitPhrases(): PhraseTrie<string> {
  const phrases = new PhraseTrie<string>();
  for (const [text, unit] of UNITS) {
    const tokens = tokenise(text).map((token) => token.text);
    phrases.add(tokens, unit);
  }
  return phrases;
}

const PHRASES = unitPhrases();

const MINUS: ReadonlySet<string> = new Set(['-', '负', '零下', 'minus', 'negative']);

/** 45度, 百分之五十, -5 ℃, forty five percent. */
export const quantity: Recogniser = {
  name: 'quantity',
  find(scan, at) {
    const share = word(scan, at) === '百' && word(scan, at + 1) === '分' && word(scan, at + 2) === '之';
    const below = word(scan, at) === '零' && word(scan, at + 1) === '下';
    const scale = SCALES.get(word(scan, at))?.get(word(scan, at + 1));
    if (scale !== undefined) return scaled(scan, at, scale);
    const minus = below || MINUS.has(word(scan, at));
    const from = share ? at + 3 : below ? at + 2 : minus ? at + 1 : at;
    const number = numberAt(scan, from);
    if (!number) return undefined;
    const unit = share ? { value: '%', end: number.end } : PHRASES.longest(scan.tokens, number.end);
    const end = unit?.end ?? number.end;
    const value = { text: sourceOf(scan, at, end), ids: [minus ? -number.value : number.value] };
    return { kind: 'number', start: at, end, values: [unit ? { ...value, unit: unit.value } : value] };
  },
};

/** 华氏75度: the scale at `at`, then the number and its 度. */
function scaled(scan: Scan, at: number, unit: string): Entity | undefined {
  const number = quantity.find(scan, at + 2);
  const [value] = number?.values ?? [];
  if (!number || !value || (value.unit !== undefined && value.unit !== '°C')) return undefined;
  return { ...number, start: at, values: [{ ...value, text: sourceOf(scan, at, number.end), unit }] };
}
