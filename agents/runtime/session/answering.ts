import type { OpenPrompt } from './dialogue.js';
import type { Draft, SlotValue } from './draft.js';
import type { ClauseMeaning } from './language/clause-meaning.js';
import { isTurn, type Stretch } from './language/clauses.js';
import type { CompiledPacks } from './language/compile-packs.js';
import { numberAt, numbered, sourceOf } from './language/entities.js';
import type { Reading } from './language/reading.js';
import type { SiteWords } from './language/site-words.js';
import { valuesOf } from './values.js';

export type Answer =
  | { readonly is: 'filled'; readonly drafts: readonly Draft[] }
  | { readonly is: 'no' }
  /** A new sentence of its own. */
  | { readonly is: 'other' };

const YES = new Set([
  '是',
  '是的',
  '对',
  '对的',
  '好',
  '好的',
  '可以',
  '确认',
  '执行',
  '行',
  '嗯',
  '没错',
  '要',
  '确定',
  '同意',
  'yes',
  'y',
  'ok',
  'okay',
  'sure',
  'yep',
  'yeah',
  'confirm',
  'do it',
  'go ahead',
  'please do',
  'yes please',
  'correct',
  'affirmative',
]);
const NO = new Set([
  '否',
  '不',
  '不是',
  '不要',
  '不用',
  '不行',
  '别',
  '不用了',
  '不必',
  '不执行',
  '先不',
  '没有',
  'no',
  'n',
  'nope',
  'do not',
  'no thanks',
  'not now',
  'negative',
  "don't",
]);

/** What a sentence is to an open question: the value it asked for, yes, no, or something else altogether. */
export function answerTo(
  open: OpenPrompt,
  reading: Reading,
  stretches: readonly Stretch[],
  meanings: readonly ClauseMeaning[],
  packs: CompiledPacks,
  site: SiteWords,
): Answer {
  const said = reading.text
    .trim()
    .replace(/[\s.。!！?？,，]+$/u, '')
    .toLowerCase();
  if (NO.has(said) || (stretches.length > 0 && stretches.every(isTurn))) return { is: 'no' };
  if (open.gap.is === 'order') {
    if (!YES.has(said)) return { is: 'other' };
    return { is: 'filled', drafts: open.drafts.map(({ doubt: _doubt, ...draft }) => draft) };
  }
  const { gap } = open;
  if (gap.kind !== 'text' && meanings.some((meaning) => meaning.acts.length > 0)) {
    return { is: 'other' };
  }
  const values = gap.kind === 'text' ? freeText(reading) : valuesIn(reading, open, gap, packs, site);
  if (values.length === 0) return { is: 'other' };
  const drafts = open.drafts.map((draft, index) => {
    if (gap.slot === '') return { ...draft, guards: withSubjects(draft, values) };
    return index === gap.draft ? { ...draft, slots: { ...draft.slots, [gap.slot]: put(draft, gap, values) } } : draft;
  });
  return { is: 'filled', drafts: sameUnknown(drafts, open, gap, values) };
}

type SlotGap = Extract<OpenPrompt['gap'], { is: 'slot' }>;

function put(draft: Draft, gap: SlotGap, values: readonly SlotValue[]): readonly SlotValue[] {
  const old = draft.slots[gap.slot] ?? [];
  return gap.value < 0 ? values : [...old.slice(0, gap.value), ...values, ...old.slice(gap.value + 1)];
}

/** The same unknown name may stand in several drafts ("重启PLC-099并…它"): one answer mends all. */
function sameUnknown(
  drafts: readonly Draft[],
  open: OpenPrompt,
  gap: SlotGap,
  values: readonly SlotValue[],
): readonly Draft[] {
  const wrong =
    gap.slot === ''
      ? open.drafts[gap.draft]?.guards.flatMap((guard) => guard.terms.flatMap((term) => term.devices))[gap.value]
      : open.drafts[gap.draft]?.slots[gap.slot]?.[gap.value];
  const unfilled = gap.value < 0 && gap.kind === 'device';
  const mend = (list: readonly SlotValue[]): readonly SlotValue[] =>
    list.flatMap((one) => (wrong && one.text === wrong.text && one.kind === wrong.kind ? values : [one]));
  return drafts.map((draft) => ({
    ...draft,
    slots: Object.fromEntries(Object.entries(draft.slots).map(([name, list]) => [name, mend(list)])),
    guards: draft.guards.map((guard) => ({
      ...guard,
      terms: guard.terms.map((term) => ({
        ...term,
        devices: term.devices.length === 0 && unfilled ? values : mend(term.devices),
      })),
    })),
  }));
}

const withSubjects = (draft: Draft, values: readonly SlotValue[]): Draft['guards'] =>
  draft.guards.map((guard) => ({
    ...guard,
    terms: guard.terms.map((term) => (term.devices.length === 0 ? { ...term, devices: values } : term)),
  }));

function freeText(reading: Reading): readonly SlotValue[] {
  const quoted = [...reading.entities.values()].find((entity) => entity.kind === 'text');
  const text = quoted?.values[0]?.text ?? reading.text.trim();
  return text === '' ? [] : [{ kind: 'text', text, ids: [text] }];
}

function valuesIn(
  reading: Reading,
  open: OpenPrompt,
  gap: SlotGap,
  packs: CompiledPacks,
  site: SiteWords,
): readonly SlotValue[] {
  const found = [...reading.entities.values()].filter((entity) => entity.kind === gap.kind).flatMap(valuesOf);
  if (found.length > 0) return found;
  const candidate = onFloor(reading, open, gap, site) ?? candidateOf(reading, open);
  if (candidate !== undefined) return [{ kind: gap.kind, text: candidate, ids: [candidate] }];
  return gap.kind === 'device' ? bareNumber(reading, open, gap, packs, site) : [];
}

/** 三楼 to "which zone A": the one candidate of that floor. */
function onFloor(reading: Reading, open: OpenPrompt, gap: SlotGap, site: SiteWords): string | undefined {
  if (gap.kind !== 'zone') return undefined;
  const floor = [...reading.entities.values()].find((entity) => entity.kind === 'floor')?.values[0]?.ids[0];
  const there = site.zones.filter((zone) => zone.floor === floor && open.prompt.candidates.includes(zone.id));
  return there.length === 1 ? there[0]?.id : undefined;
}

const ORDINALS: Readonly<Record<string, number>> = { first: 1, second: 2, third: 3, former: 1, latter: 2, last: -1 };

/** "2", 第二个, "the second one": a candidate of the question. */
function candidateOf(reading: Reading, open: OpenPrompt): string | undefined {
  const { candidates } = open.prompt;
  for (let at = 0; at < reading.tokens.length; at += 1) {
    const ordinal = ORDINALS[reading.tokens[at]?.text ?? ''];
    if (ordinal !== undefined) return candidates.at(ordinal > 0 ? ordinal - 1 : ordinal);
    const number = numberAt(reading, at);
    if (number) return candidates[number.value - 1];
  }
  const said = reading.text.trim().toLowerCase();
  if (YES.has(said) && candidates.length === 1) return candidates[0];
  return candidates.find((one) => one.toLowerCase() === said);
}

/** "7" or 七号 to a question for a device, where one kind of numbered devices is meant. */
function bareNumber(
  reading: Reading,
  open: OpenPrompt,
  gap: SlotGap,
  packs: CompiledPacks,
  site: SiteWords,
): readonly SlotValue[] {
  const number = numberAt(reading, 0);
  if (!number) return [];
  const end = reading.tokens[number.end]?.text === '号' ? number.end + 1 : number.end;
  if (end !== reading.tokens.length) return [];
  const draft = open.drafts[gap.draft];
  const rule = draft ? packs.ruleOf(draft.component, draft.intent) : undefined;
  const served = rule?.intent.slots[gap.slot]?.served === true ? rule.servers : undefined;
  const groups = site.numbered.filter(({ byNumber }) =>
    [...byNumber.values()].some((id) => !served || served.of('device', id).length > 0),
  );
  const having = groups.filter(({ byNumber }) => byNumber.has(number.value));
  const [group, other] = having.length > 0 ? having : groups;
  if (!group || other) return [];
  const value = numbered(reading, group, number.value, 0, end);
  return [{ kind: 'device', ...value, text: value.text || sourceOf(reading, 0, end) }];
}
