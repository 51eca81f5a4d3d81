import type { Language } from '../../../shared/site.js';
import type { OpenPrompt } from './dialogue.js';
import type { Draft, SlotValue } from './draft.js';
import { callOf } from './explanation.js';
import type { CompiledPacks } from './language/compile-packs.js';
import { nearestIds } from './language/nearest.js';
import type { SiteWords } from './language/site-words.js';
import { askFor, askOrder, askUnknown, askWhich } from './phrases.js';
import type { Gap, Resolution } from './resolution.js';
import type { Prompt } from './understanding.js';

/** The one question that closes the first gap of a sentence, and what its answer will be put into. */
export function promptOf(
  { gap, actions }: Resolution,
  drafts: readonly Draft[],
  packs: CompiledPacks,
  site: SiteWords,
  language: Language,
): OpenPrompt {
  if (!gap || gap.is === 'doubt' || gap.is === 'too_many') {
    const writes = actions.filter((action) => action.effect === 'write').map(callOf);
    const words = gap?.is === 'doubt' ? gap.words : '?';
    const text = askOrder(writes, words, language);
    return { prompt: { reason: 'read_or_write', text, missing: [], candidates: [] }, drafts, gap: { is: 'order' } };
  }
  const draft = drafts[gap.draft];
  const slot = draft ? packs.ruleOf(draft.component, draft.intent)?.intent.slots[gap.slot] : undefined;
  const kind = slot?.entity ?? 'device';
  const value = gap.is === 'missing' ? -1 : gap.value;
  const said = gap.is === 'missing' ? undefined : valueAt(draft, gap);
  const prompt = questionOf(gap, kind, said, site, language, slot?.ask?.[language], slot?.param ?? 'device_id');
  return { prompt, drafts, gap: { is: 'slot', draft: gap.draft, slot: gap.slot, kind, value } };
}

function valueAt(draft: Draft | undefined, gap: Extract<Gap, { is: 'unknown' | 'ambiguous' }>): SlotValue | undefined {
  if (gap.slot === '') return draft?.guards.flatMap((guard) => guard.terms.flatMap((term) => term.devices))[gap.value];
  return draft?.slots[gap.slot]?.[gap.value];
}

function questionOf(
  gap: Extract<Gap, { is: 'missing' | 'unknown' | 'ambiguous' }>,
  kind: string,
  said: SlotValue | undefined,
  site: SiteWords,
  language: Language,
  ask: string | undefined,
  param: string,
): Prompt {
  if (gap.is === 'missing') {
    return { reason: 'missing', text: ask ?? askFor(kind, language), missing: [param], candidates: [] };
  }
  const text = said?.text ?? '';
  if (gap.is === 'ambiguous') {
    const { candidates } = gap;
    return { reason: 'ambiguous', text: askWhich(text || param, candidates, language), missing: [param], candidates };
  }
  const candidates = said?.nearest ?? nearestIds(site, kind, text);
  const labels = candidates.map((id) => site.label(kind, id, language));
  return { reason: 'unknown_entity', text: askUnknown(text, labels, language), missing: [param], candidates };
}
