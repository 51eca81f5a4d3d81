/**
 * Sentence to tokens: one Chinese character, one English word, one run of digits or one mark each. Full-width forms,
 * letter case, traditional characters of the trade and English contractions are evened out here, so that no rule has
 * to know about them. Offsets point into the original text.
 */
export interface Token {
  readonly text: string;
  readonly kind: 'cjk' | 'word' | 'number' | 'mark';
  readonly start: number;
  readonly end: number;
}

const MARKS: ReadonlyMap<string, string> = new Map([
  ['。', '.'],
  ['．', '.'],
  ['｡', '.'],
  ['，', ','],
  ['、', '、'],
  ['；', ';'],
  ['：', ':'],
  ['？', '?'],
  ['！', '!'],
  ['’', "'"],
  ['‘', "'"],
  ['–', '-'],
  ['—', '-'],
  ['‑', '-'],
  ['‐', '-'],
  ['−', '-'],
  ['℃', '℃'],
]);

const TRADITIONAL =
  '狀態設備離線重啟動檢查溫電壓讀寫報員組臺個這嗎沒還與後號實時開關閉樓區間調為應該麼過會斷連網聯請幫將張劉陳對說給';
const SIMPLIFIED =
  '状态设备离线重启动检查温电压读写报员组台个这吗没还与后号实时开关闭楼区间调为应该么过会断连网联请帮将张刘陈对说给';
const EVENED: ReadonlyMap<string, string> = new Map(
  [...TRADITIONAL].map((from, index) => [from, SIMPLIFIED[index] ?? from]),
);

/** Contractions and their careless spellings, spelled out. */
const SPELLED: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    "what's": 'what is',
    whats: 'what is',
    "who's": 'who is',
    "it's": 'it is',
    "that's": 'that is',
    "how's": 'how is',
    hows: 'how is',
    "where's": 'where is',
    "he's": 'he is',
    "she's": 'she is',
    "there's": 'there is',
    "i'm": 'i am',
    "i've": 'i have',
    "we've": 'we have',
    "i'd": 'i would',
    "we'd": 'we would',
    "i'll": 'i will',
    "we'll": 'we will',
    "they're": 'they are',
    "can't": 'can not',
    cant: 'can not',
    cannot: 'can not',
    "won't": 'will not',
    wont: 'will not',
    dont: 'do not',
    doesnt: 'does not',
    didnt: 'did not',
    isnt: 'is not',
    arent: 'are not',
    wasnt: 'was not',
    shouldnt: 'should not',
    mustnt: 'must not',
    pls: 'please',
    plz: 'please',
    setpoint: 'set point',
    setpoints: 'set point',
  }).map(([from, to]) => [from, to.split(' ')]),
);

const isDigit = (c: string): boolean => c >= '0' && c <= '9';
const isLetter = (c: string): boolean => (c >= 'a' && c <= 'z') || c === '_' || (c >= 'à' && c <= 'ÿ' && c !== '÷');
const isSpace = (c: string): boolean =>
  c <= ' ' || c === '\u00a0' || (c >= '\u2000' && c <= '\u200d') || c === '\ufeff';

export function isCjk(c: string): boolean {
  const code = c.codePointAt(0) ?? 0;
  return (code >= 0x3400 && code <= 0x9fff) || (code >= 0xf900 && code <= 0xfaff) || code === 0x3007 || code > 0x1ffff;
}

function even(c: string): string {
  const code = c.charCodeAt(0);
  if (code < 0x80) return code >= 65 && code <= 90 ? String.fromCharCode(code + 32) : c;
  const mark = MARKS.get(c);
  if (mark !== undefined) return mark;
  if (code === 0x3000) return ' ';
  if (code >= 0xff01 && code <= 0xff5e) {
    const half = code - 0xfee0;
    return String.fromCharCode(half >= 65 && half <= 90 ? half + 32 : half);
  }
  return EVENED.get(c) ?? (code < 0x250 ? c.toLowerCase() : c);
}

/** Characters of the text, evened out, one for each UTF-16 unit of the original. */
export function evened(text: string): string[] {
  const characters: string[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const out = even(text.charAt(at));
    characters.push(out.length === 1 ? out : out.charAt(0));
  }
  return characters;
}

function wordTokens(word: string, start: number, end: number, out: Token[]): void {
  const spelled = SPELLED.get(word) ?? (word.endsWith("n't") ? [word.slice(0, -3), 'not'] : undefined);
  if (spelled) {
    for (const text of spelled) out.push({ text, kind: 'word', start, end });
    return;
  }
  const bare = word.endsWith("'s") && word !== "let's" ? word.slice(0, -2) : word;
  if (bare !== '') out.push({ text: bare, kind: 'word', start, end: start + bare.length });
  if (bare !== word) out.push({ text: "'s", kind: 'word', start: start + bare.length, end });
}

function endOfNumber(c: readonly string[], from: number): number {
  let at = from;
  while (at < c.length && isDigit(c[at] ?? '')) at += 1;
  if (c[at] === '.' && isDigit(c[at + 1] ?? '')) {
    at += 1;
    while (at < c.length && isDigit(c[at] ?? '')) at += 1;
  }
  return at;
}

function endOfWord(c: readonly string[], from: number): number {
  let at = from;
  while (at < c.length) {
    const here = c[at] ?? '';
    const inner = here === "'" && isLetter(c[at + 1] ?? '') && at > from;
    if (!isLetter(here) && !inner) break;
    at += 1;
  }
  return at;
}

/** Linear in the text; never throws. */
export function tokenise(text: string): Token[] {
  const c = evened(text);
  const out: Token[] = [];
  let at = 0;
  while (at < c.length) {
    const here = c[at] ?? ' ';
    if (isSpace(here) && here !== '\n') {
      at += 1;
    } else if (isDigit(here)) {
      const end = endOfNumber(c, at);
      out.push({ text: c.slice(at, end).join(''), kind: 'number', start: at, end });
      at = end;
    } else if (isLetter(here)) {
      const end = endOfWord(c, at);
      wordTokens(c.slice(at, end).join(''), at, end, out);
      at = end;
    } else if (here === "'" && c[at + 1] === 's' && !isLetter(c[at + 2] ?? '') && isDigit(c[at - 1] ?? '')) {
      out.push({ text: "'s", kind: 'word', start: at, end: at + 2 });
      at += 2;
    } else {
      out.push({ text: here, kind: isCjk(here) ? 'cjk' : 'mark', start: at, end: at + 1 });
      at += 1;
    }
  }
  return out;
}

/** Chinese where it has at least as many Chinese characters as English words. */
export function languageOf(tokens: readonly Token[]): 'zh' | 'en' {
  let cjk = 0;
  let words = 0;
  for (const token of tokens) {
    if (token.kind === 'cjk') cjk += 1;
    else if (token.kind === 'word') words += 1;
  }
  return cjk > 0 && cjk >= words ? 'zh' : 'en';
}
