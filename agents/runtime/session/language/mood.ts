import type { Clause } from './clauses.js';
import type { MarkerClass } from './lexicon.js';
import type { Reading } from './reading.js';

/** Why a clause that names an action does not order it. */
export type WhyNot = 'negated' | 'past' | 'question' | 'hypothetical' | 'quoted' | 'cancelled' | 'condition_unknown';

export type Mood =
  | { readonly is: 'order' }
  | { readonly is: 'doubt'; readonly why: 'question' | 'wording' }
  | { readonly is: 'not'; readonly why: WhyNot };

export const ORDER: Mood = { is: 'order' };

/** Tokens of the clause that are looked at; the text of a message is not. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  /** First token of the verb. */
  readonly verb: number;
  /** What the template matched: its own 说 introduces a message, it quotes nobody. */
  readonly match?: { readonly start: number; readonly end: number };
  /** Inside [from, to) words belong to a message's text. */
  readonly text?: { readonly from: number; readonly to: number };
}

const URGING: ReadonlySet<string> = new Set(['请', '帮', '吧', '麻', '拜', '给']);
const PERMISSION: ReadonlySet<string> = new Set([
  '要不要',
  '该不该',
  '应不应该',
  '需不需要',
  '可以吗',
  '行吗',
  '行不行',
  '可以不',
  '可不可以',
  '用不用',
  '是不是',
  '是否',
  'should',
  'shall',
  'may',
  'may i',
  'can i',
  'do we',
  'do i',
  'can it',
  'is it ok',
  'is it possible',
  'am i',
]);
const SOFT_QUESTION: ReadonlySet<string> = new Set(['吗', '么', '呢']);
const WISHES: ReadonlySet<string> = new Set(['get', 'need', 'needs', 'want', 'have', 'must', 'requires', 'like']);

interface Said {
  readonly kind: MarkerClass;
  readonly at: number;
  readonly end: number;
  readonly words: string;
}

function saidIn(reading: Reading, stretch: Stretch): Said[] {
  const said: Said[] = [];
  for (let at = stretch.start; at < stretch.end; at += 1) {
    if (stretch.text && at >= stretch.text.from && at < stretch.text.to) continue;
    const marker = reading.markers.get(at);
    if (!marker) continue;
    const tokens = reading.tokens.slice(at, marker.end);
    const words = tokens.map((token) => token.text).join(tokens[0]?.kind === 'word' ? ' ' : '');
    said.push({ kind: marker.kind, at, end: marker.end, words });
  }
  return said;
}

/** Whether a clause with a verb of change orders it, doubts it, or speaks of it otherwise. */
export function moodOf(reading: Reading, clause: Clause, stretch: Stretch, inflected: boolean): Mood {
  const said = saidIn(reading, stretch).filter((one) => !isWording(one, stretch));
  const has = (kind: MarkerClass): boolean => said.some((one) => one.kind === kind);
  if (has('hypothetical')) return { is: 'not', why: 'hypothetical' };
  if (has('neg') || has('cancel') || clause.links.has('cancel')) return { is: 'not', why: 'negated' };
  const { match } = stretch;
  const quoting = said.some((one) => one.kind === 'say' && !(match && one.at >= match.start && one.at < match.end));
  if (quoting) return { is: 'not', why: 'quoted' };
  const polite = has('polite');
  const asked = questionMood(reading, clause, stretch, said, polite);
  if (asked) return asked;
  const past = pastMood(reading, stretch, said);
  if (past) return past;
  if (inflected) return inflectedMood(reading, stretch, polite);
  if (clause.asked && !polite && !urged(reading, stretch)) return { is: 'doubt', why: 'question' };
  return ORDER;
}

/** 取消工单: what denies or tells of the past inside the match is the wording of the order itself. */
const isWording = ({ kind, at }: Said, { match }: Stretch): boolean =>
  (kind === 'neg' || kind === 'cancel' || kind === 'past') &&
  match !== undefined &&
  at >= match.start &&
  at < match.end;

const urged = (reading: Reading, stretch: Stretch): boolean =>
  reading.tokens.slice(stretch.start, stretch.end).some((token) => URGING.has(token.text) || token.text === 'please');

function questionMood(
  reading: Reading,
  clause: Clause,
  stretch: Stretch,
  said: readonly Said[],
  polite: boolean,
): Mood | undefined {
  const questions = said.filter(
    (one) => one.kind === 'question' && (reading.tokens[one.at]?.kind === 'cjk' || one.at < stretch.verb),
  );
  if (questions.length === 0) return undefined;
  const plain = questions.every((one) => PERMISSION.has(one.words) || SOFT_QUESTION.has(one.words));
  if (!plain) return { is: 'not', why: 'question' };
  if (questions.some((one) => PERMISSION.has(one.words))) return { is: 'doubt', why: 'question' };
  const soft = questions.every((one) => SOFT_QUESTION.has(one.words));
  const past = said.some((one) => one.kind === 'past');
  if (soft && !past && (polite || urged(reading, stretch))) return undefined;
  if (soft && !past && !clause.asked && questions.every((one) => one.words === '呢')) return undefined;
  if (soft && !past) return { is: 'doubt', why: 'question' };
  return { is: 'not', why: 'question' };
}

/** Stand behind the verb that they speak of. */
const ASPECT: ReadonlySet<string> = new Set(['了', '完', '过', '过了', '完了']);

/** 重启了 reports; 帮我重启了吧 orders; 把它重启了 may be either. */
function pastMood(reading: Reading, stretch: Stretch, said: readonly Said[]): Mood | undefined {
  const past = said.filter((one) => one.kind === 'past' && !(ASPECT.has(one.words) && one.at < stretch.verb));
  if (past.length === 0) return undefined;
  if (past.some((one) => one.words !== '了')) return { is: 'not', why: 'past' };
  if (urged(reading, stretch)) return undefined;
  const first = reading.tokens[stretch.start]?.text;
  return first === '把' || first === '将' ? { is: 'doubt', why: 'wording' } : { is: 'not', why: 'past' };
}

/** "would you mind restarting" asks for it, "it needs restarting" may, "restarted" reports. */
function inflectedMood(reading: Reading, stretch: Stretch, polite: boolean): Mood {
  const verb = reading.tokens[stretch.verb]?.text ?? '';
  if (polite) return verb.endsWith('ing') ? ORDER : { is: 'doubt', why: 'wording' };
  const wished = reading.tokens.slice(stretch.start, stretch.end).some((token) => WISHES.has(token.text));
  return wished ? { is: 'doubt', why: 'wording' } : { is: 'not', why: 'past' };
}

/** Whether a clause with a verb of reading asks for it. What stands inside the match is the wording of the read. */
export function readMood(reading: Reading, clause: Clause, { start, end, verb, match }: Stretch): Mood {
  const limit = match?.start ?? verb;
  for (let at = start; at < end; at += 1) {
    const kind = reading.markers.get(at)?.kind;
    if (kind === undefined || (match && at >= match.start && at < match.end)) continue;
    if (kind === 'neg' && (at < limit || reading.tokens[at]?.text !== '没')) return { is: 'not', why: 'negated' };
    if (kind === 'cancel') return { is: 'not', why: 'cancelled' };
    if (kind === 'say' && at < limit) return { is: 'not', why: 'quoted' };
    if (kind === 'past' && at < limit && !clause.asked) return { is: 'not', why: 'past' };
  }
  return ORDER;
}

/** Of the past itself; 刚 and 已经 tell of what is now. */
const LONG_AGO: ReadonlySet<string> = new Set(
  '曾 曾经 过 过了 昨晚刚 上次把 was were had did yesterday earlier'.split(' ').concat('had been', 'last night'),
);

/** Whether a clause reports a trouble that is there now. */
export function reportMood(reading: Reading, clause: Clause, stretch: Stretch): Mood {
  for (const { kind, words } of saidOutside(reading, stretch)) {
    if (kind === 'hypothetical' || kind === 'if' || kind === 'unless') return { is: 'not', why: 'hypothetical' };
    if (kind === 'neg' || kind === 'cancel') return { is: 'not', why: 'negated' };
    if (kind === 'say') return { is: 'not', why: 'quoted' };
    if (kind === 'question' && words !== '呢') return { is: 'not', why: 'question' };
    if (kind === 'past' && LONG_AGO.has(words)) return { is: 'not', why: 'past' };
  }
  return clause.asked ? { is: 'not', why: 'question' } : ORDER;
}

/** What begins in the match and ends behind it, 坏了没, is outside it. */
const saidOutside = (reading: Reading, { match, ...stretch }: Stretch): Said[] =>
  saidIn(reading, stretch).filter(({ at, end }) => !match || at < match.start || end > match.end);
