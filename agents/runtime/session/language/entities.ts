import { editDistance } from '../../../../shared/edit-distance.js';
import { englishNumber, isNumeral, numeralValue } from './numerals.js';
import type { NumberedDevices, SiteWords } from './site-words.js';
import type { Token } from './tokenise.js';

export type EntityName = 'device' | 'person' | 'zone' | 'floor' | 'number' | 'point' | 'text' | 'code';

/** One thing that was named. No `ids`: shaped like one, but the site does not know it. Several: not clear which. */
export interface Value {
  readonly text: string;
  readonly ids: readonly (string | number)[];
  readonly unit?: string;
  readonly nearest?: readonly string[];
}

export interface Entity {
  readonly kind: EntityName;
  readonly start: number;
  readonly end: number;
  readonly values: readonly Value[];
  /** Joined by "or": one of them, nobody said which. */
  readonly either?: boolean;
}

export interface Recogniser {
  readonly name: string;
  /** What begins at token `at`, or nothing. */
  find(scan: Scan, at: number): Entity | undefined;
}

export interface Scan {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly site: SiteWords;
}

const tokenText = (scan: Scan, at: number): string => scan.tokens[at]?.text ?? '';

/** The words of the original that tokens [start, end) come from. */
export function sourceOf(scan: Scan, start: number, end: number): string {
  const first = scan.tokens[start];
  const last = scan.tokens[end - 1];
  return first && last ? scan.text.slice(first.start, last.end) : '';
}

/** An arabic number, or a run of Chinese numerals, or an English numeral; `end` is `at` when there is none. */
export function numberAt(scan: Scan, at: number): { readonly value: number; readonly end: number } | undefined {
  const token = scan.tokens[at];
  if (!token) return undefined;
  if (token.kind === 'number') return token.text.length > 15 ? undefined : { value: Number(token.text), end: at + 1 };
  if (token.kind === 'word') {
    const value = englishNumber(token.text);
    if (value === undefined) return undefined;
    const next = value >= 20 ? at + (tokenText(scan, at + 1) === '-' ? 2 : 1) : -1;
    const unit = next > 0 ? englishNumber(tokenText(scan, next)) : undefined;
    return unit !== undefined && unit > 0 && unit < 10
      ? { value: value + unit, end: next + 1 }
      : { value, end: at + 1 };
  }
  let end = at;
  while (end - at < 12 && isNumeral(tokenText(scan, end))) end += 1;
  if (end === at) return undefined;
  const whole = numeralValue(runOf(scan, at, end));
  if (whole === undefined) return undefined;
  return tokenText(scan, end) === '点' ? decimals(scan, whole, end) : { value: whole, end };
}

const runOf = (scan: Scan, from: number, to: number): string =>
  scan.tokens
    .slice(from, to)
    .map((token) => token.text)
    .join('');

function decimals(scan: Scan, whole: number, point: number): { value: number; end: number } {
  let end = point + 1;
  while (end - point < 6 && isNumeral(tokenText(scan, end))) end += 1;
  const digits = end > point + 1 ? numeralValue(`零${runOf(scan, point + 1, end)}`) : undefined;
  if (digits === undefined) return { value: whole, end: point };
  return { value: Number(`${whole}.${String(digits).padStart(end - point - 1, '0')}`), end };
}

const ORDINAL_WORDS: ReadonlySet<string> = new Set([
  'no',
  'number',
  'nr',
  'num',
  '#',
  '-',
  '_',
  '号',
  '第',
  '.',
  'unit',
]);

/** 空调24度 is a temperature, no device. */
const DEGREES: ReadonlySet<string> = new Set(['度', '℃', '°', '%']);

/** PLC-007, plc007, PLC 7, PLC七号, PLC no. 7: a noun of numbered devices, then the number. */
const nounThenNumber: Recogniser = {
  name: 'device_noun_number',
  find(scan, at) {
    const noun = scan.site.nouns.longest(scan.tokens, at);
    if (!noun) return undefined;
    let next = noun.end;
    while (next < noun.end + 3 && ORDINAL_WORDS.has(tokenText(scan, next))) next += 1;
    const number = numberAt(scan, next);
    const initial = scan.tokens[at]?.kind === 'word' && tokenText(scan, at).length === 1;
    if (!number || (initial && next === noun.end)) return undefined;
    if (scan.tokens[at]?.kind === 'cjk' && DEGREES.has(tokenText(scan, number.end))) return undefined;
    const end = tokenText(scan, number.end) === '号' ? number.end + 1 : number.end;
    return { kind: 'device', start: at, end, values: [numbered(scan, noun.value, number.value, at, end)] };
  },
};

/** 七号PLC, 7号PLC, #7 PLC, 3号和4号PLC: numbers with 号, then the noun. */
const numberThenNoun: Recogniser = {
  name: 'device_number_noun',
  find(scan, at) {
    const found: { value: number; from: number; to: number }[] = [];
    let next = tokenText(scan, at) === '#' ? at + 1 : at;
    for (;;) {
      const number = numberAt(scan, next);
      if (!number) return undefined;
      const marked = ['号', '#'].includes(tokenText(scan, number.end));
      if (!marked && next === at) return undefined;
      found.push({ value: number.value, from: next, to: number.end });
      next = marked ? number.end + 1 : number.end;
      const noun = scan.site.nouns.longest(scan.tokens, next);
      if (noun) {
        const values = found.map((one) => numbered(scan, noun.value, one.value, one.from, noun.end));
        return { kind: 'device', start: at, end: noun.end, values };
      }
      const joined = connector(scan, next);
      if (joined === next || found.length > 7) return undefined;
      next = joined;
    }
  },
};

export function numbered(scan: Scan, group: NumberedDevices, number: number, from: number, to: number): Value {
  const id = group.byNumber.get(number);
  const text = sourceOf(scan, from, to);
  if (id !== undefined) return { text, ids: [id] };
  const digits = (one: number): string => String(one).padStart(group.digits, '0');
  const slips = new Map([...group.byNumber.keys()].map((one) => [one, editDistance(digits(one), digits(number))]));
  const far = (one: number): number => slips.get(one) ?? 0;
  const nearest = [...group.byNumber]
    .sort(([a], [b]) => far(a) - far(b) || Math.abs(a - number) - Math.abs(b - number) || a - b)
    .slice(0, 3)
    .map(([, name]) => name);
  return { text: `${group.written}-${digits(number)}`, ids: [], nearest };
}

const CONNECTORS: ReadonlySet<string> = new Set(['和', '与', '及', '跟', '、', '&', 'and', '/']);

/** Past an "or" at `at`; `at` when there is none. */
export function alternative(scan: Scan, at: number): number {
  const word = tokenText(scan, at);
  if (word === '或') return tokenText(scan, at + 1) === '者' ? at + 2 : at + 1;
  return word === 'or' ? at + 1 : at;
}

/** Past one list connector at `at`, a comma before `and` included; `at` when there is none. */
export function connector(scan: Scan, at: number): number {
  const word = tokenText(scan, at);
  if (word === '以' && tokenText(scan, at + 1) === '及') return at + 2;
  if (word === ',' && tokenText(scan, at + 1) === 'and') return at + 2;
  if (word === '还' && tokenText(scan, at + 1) === '有') return at + 2;
  return CONNECTORS.has(word) ? at + 1 : at;
}

const byName: Recogniser = {
  name: 'name_of_the_site',
  find(scan, at) {
    const hit = scan.site.names.longest(scan.tokens, at);
    if (!hit) return undefined;
    const { kind, ids } = hit.value;
    return { kind, start: at, end: hit.end, values: [{ text: sourceOf(scan, at, hit.end), ids }] };
  },
};

const SURNAMES = new Set(
  '王李张刘陈杨黄赵周吴徐孙马胡朱郭何罗高林郑梁谢唐许冯宋韩邓彭曹曾田萧潘袁蔡蒋余于杜叶程苏魏吕丁沈任姚卢傅钟姜崔谭廖范汪陆金石戴贾韦夏邱方侯邹熊孟秦白江阎薛尹段雷黎史龙陶贺顾毛郝龚邵万钱严覃武莫孔向汤',
);
const TITLES = '师傅 工程师 主管 经理 班长 组长 队长 主任 厂长 科长 部长 老师 先生 女士 总监 总 工 哥 姐'.split(' ');

/** 王师傅, 赵工: a surname and a title that no name of the directory covers. */
const titledPerson: Recogniser = {
  name: 'person_with_title',
  find(scan, at) {
    if (!SURNAMES.has(tokenText(scan, at))) return undefined;
    const after = runOf(scan, at + 1, at + 4);
    const title = TITLES.find((one) => after.startsWith(one));
    if (title === undefined || (title.length === 1 && '作程具厂序业人'.includes(after.charAt(1) || '无')))
      return undefined;
    return unknownPerson(scan, at, at + 1 + title.length);
  },
};

const ENGLISH_TITLES: ReadonlySet<string> = new Set(
  'mr mrs ms miss dr engineer supervisor manager technician foreman boss mister'.split(' '),
);

/** Mr Zhang, engineer Zhang: the title is left out; a name that nobody bears is unknown. */
const englishPerson: Recogniser = {
  name: 'person_english_title',
  find(scan, at) {
    if (!ENGLISH_TITLES.has(tokenText(scan, at))) return undefined;
    const next = tokenText(scan, at + 1) === '.' ? at + 2 : at + 1;
    const hit = scan.site.names.longest(scan.tokens, next);
    if (hit?.value.kind === 'person') {
      const values = [{ text: sourceOf(scan, at, hit.end), ids: hit.value.ids }];
      return { kind: 'person', start: at, end: hit.end, values };
    }
    const word = scan.tokens[next];
    const capital = word ? /^[A-Z]/.test(scan.text.slice(word.start, word.start + 1)) : false;
    return capital && word?.kind === 'word' ? unknownPerson(scan, at, next + 1) : undefined;
  },
};

export function unknownPerson(scan: Scan, start: number, end: number): Entity {
  return { kind: 'person', start, end, values: [{ text: sourceOf(scan, start, end), ids: [] }] };
}

export const RECOGNISERS: readonly Recogniser[] = [byName, nounThenNumber, numberThenNoun, titledPerson, englishPerson];
