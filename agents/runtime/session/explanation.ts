import type { Language } from '../../../shared/site.js';
import type { Draft, NotDone } from './draft.js';
import type { ClauseMeaning } from './language/clause-meaning.js';
import type { CompiledPacks } from './language/compile-packs.js';
import { sourceOf } from './language/entities.js';
import type { Reading } from './language/reading.js';
import type { Explanation, IntendedAction } from './understanding.js';

/** `RESTART_DEVICE(PLC-007)`. */
export function callOf(action: IntendedAction): string {
  const values = Object.values(action.params).map((value) => (Array.isArray(value) ? value.join('+') : String(value)));
  return `${action.intent}(${values.join(', ')})`;
}

/** A draft whose gaps are open: `RESTART_DEVICE(PLC-099?)`. */
function sketchOf(draft: Draft): string {
  const values = Object.values(draft.slots).flat();
  const said = values.map((value) => (value.ids.length === 1 ? String(value.ids[0]) : `${value.text}?`));
  return `${draft.intent}(${said.join(', ')})`;
}

const NOT_DONE = {
  negated: { zh: '说了不要', en: 'told not to' },
  past: { zh: '说的是已发生的事', en: 'a report of the past' },
  question: { zh: '只是提问', en: 'only a question' },
  hypothetical: { zh: '只是假设', en: 'only a hypothesis' },
  quoted: { zh: '只是转述', en: 'only a quotation' },
  cancelled: { zh: '已取消', en: 'taken back' },
  condition_unknown: { zh: '条件没读懂', en: 'its condition was not understood' },
} as const satisfies Record<NotDone['why'], { zh: string; en: string }>;

/** One line that a person can check: each call, its condition, and what is not done. */
export function understoodLine(
  actions: readonly IntendedAction[],
  notDone: readonly NotDone[],
  language: Language,
  open: readonly Draft[] = [],
): string {
  const calls = actions.map((action) => `${callOf(action)}${action.when ? ` [${action.when}]` : ''}`);
  const done = calls.length > 0 ? calls : open.map(sketchOf);
  const left = [...new Set(notDone.map(({ intent, why }) => `${intent}（${NOT_DONE[why][language]}）`))];
  const parts = [...done];
  if (left.length > 0) parts.push(`${language === 'zh' ? '不执行：' : 'not done: '}${left.join(', ')}`);
  return parts.join('; ');
}

/** Commands of the packs that share most with a sentence that no rule read. */
export function nearestCommands(packs: CompiledPacks, reading: Reading, language: Language): string {
  const said = new Set(reading.tokens.map((token) => token.text));
  const scored = packs.rules.flatMap((rule) => {
    if (rule.is !== 'intent') return [];
    let shared = 0;
    for (const word of said) if (rule.vocabulary.has(word)) shared += 1;
    return [{ example: rule.intent.example[language], shared }];
  });
  const examples = scored.sort((a, b) => b.shared - a.shared).slice(0, 3);
  return examples.map((one) => one.example).join(language === 'zh' ? '；' : '; ');
}

export function explained(
  reading: Reading,
  meanings: readonly ClauseMeaning[],
  notDone: readonly NotDone[],
): Explanation[] {
  return meanings.map((meaning) => ({
    clause: sourceOf(reading, meaning.clause.start, meaning.clause.end),
    tried: meaning.tried,
    ...(meaning.best ? { best: meaning.best } : {}),
    why: whyOf(reading, meaning, notDone),
  }));
}

function whyOf(reading: Reading, meaning: ClauseMeaning, notDone: readonly NotDone[]): string {
  if (meaning.conditionUnclear) return 'condition not known';
  const act = meaning.acts[0];
  if (!act) return meaning.conditions.length > 0 ? 'a condition' : 'no verb and object of any rule';
  if (act.mood.is === 'not') return `not an order: ${act.mood.why}`;
  const dropped = notDone.find((one) => one.intent === act.rule.intent.name);
  if (dropped) return `not done: ${dropped.why}`;
  if (act.unserved) return 'its agents do not serve what it names';
  const lost = act.unexplained[0];
  return lost ? `not explained: ${sourceOf(reading, lost.at, lost.end)}` : 'placed';
}
