import type { Language } from '../../../shared/site.js';
import type { OpenPrompt } from './dialogue.js';
import type { Draft, SlotValue } from './draft.js';
import { callOf } from './explanation.js';
import { type Gap, valueAt } from './gaps.js';
import type { CompiledPacks } from './language/compile-packs.js';
import { nearestIds } from './language/nearest.js';
import { isThing } from './language/serving.js';
import type { SiteWords } from './language/site-words.js';
import { askFor, askOrder, askUnit, askUnknown, askWhich, notServed } from './phrases.js';
import type { Resolution } from './resolution.js';
import type { Prompt } from './understanding.js';

/** The one question that closes the first gap of a sentence, and what its answer will be put into. */
export function promptOf(
  { gap, actions }: Resolution,
  drafts: readonly Draft[],
  packs: CompiledPacks,
  site: SiteWords,
  language: Language,
): OpenPrompt {
  if (!gap || gap.is === 'doubt' || gap.is === 'too_many' || gap.is === 'unserved') {
    const writes = actions.filter((action) => action.effect === 'write').map(callOf);
    const words = gap?.is === 'doubt' ? gap.words : '?';
    const text = askOrder(writes, words, language);
    return { prompt: { reason: 'read_or_write', text, missing: [], candidates: [] }, drafts, gap: { is: 'order' } };
  }
  const draft = drafts[gap.draft];
  const rule = draft ? packs.ruleOf(draft.component, draft.intent) : undefined;
  const slot = rule?.intent.slots[gap.slot];
  const kind = slot?.entity ?? 'device';
  const value = gap.is === 'missing' ? -1 : gap.value;
  const said = gap.is === 'missing' ? undefined : valueAt(draft, gap);
  const serves = (id: string): boolean =>
    !slot?.served || !rule || !isThing(kind) || rule.servers.of(kind, id).length > 0;
  const ask = { kind, said, serves, ask: slot?.ask?.[language], param: slot?.param ?? 'device_id' };
  const prompt = questionOf(gap, ask, site, language);
  return { prompt, drafts, gap: { is: 'slot', draft: gap.draft, slot: gap.slot, kind, value } };
}

/** Why no question helps: the thing, what was wanted of it, and who serves it. */
export function refusalOf(
  gap: Extract<Gap, { is: 'unserved' }>,
  drafts: readonly Draft[],
  packs: CompiledPacks,
  site: SiteWords,
  language: Language,
): string {
  const draft = drafts[gap.draft];
  const term = gap.slot === '' ? draft?.guards[0]?.terms[0] : undefined;
  const rule = term
    ? packs.sourceOf(term.component, term.condition)
    : draft && packs.ruleOf(draft.component, draft.intent);
  const said = valueAt(draft, gap);
  const kind = said?.kind ?? 'device';
  const id = said?.ids[0] ?? said?.text ?? '';
  const method = rule?.intent.method ?? '';
  const title = rule?.pack.titles[method]?.[language] ?? method;
  return notServed(title, site.label(kind, String(id), language), site.servedBy(kind, id), language);
}

interface Asked {
  readonly kind: string;
  readonly said: SlotValue | undefined;
  /** Whom to offer. */
  readonly serves: (id: string) => boolean;
  readonly ask: string | undefined;
  readonly param: string;
}

function questionOf(
  gap: Extract<Gap, { is: 'missing' | 'unit' | 'unknown' | 'ambiguous' }>,
  { kind, said, serves, ask, param }: Asked,
  site: SiteWords,
  language: Language,
): Prompt {
  if (gap.is === 'missing') {
    return { reason: 'missing', text: ask ?? askFor(kind, language), missing: [param], candidates: [] };
  }
  const text = said?.text ?? '';
  if (gap.is === 'unit') {
    return { reason: 'missing', text: askUnit(text, gap.unit, language), missing: [param], candidates: [] };
  }
  const labels = (ids: readonly string[]): string[] => ids.map((id) => site.label(kind, id, language));
  if (gap.is === 'ambiguous') {
    const { candidates } = gap;
    const which = askWhich(text || param, labels(candidates), language);
    return { reason: 'ambiguous', text: which, missing: [param], candidates };
  }
  const near = said?.nearest ?? nearestIds(site, kind, text);
  const served = near.filter(serves);
  const candidates = served.length > 0 ? served : near;
  return {
    reason: 'unknown_entity',
    text: askUnknown(text, labels(candidates), language),
    missing: [param],
    candidates,
  };
}
