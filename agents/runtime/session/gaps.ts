import { copiesOf } from './copies.js';
import type { Draft, SlotValue } from './draft.js';
import type { CompiledPacks } from './language/compile-packs.js';
import { isThing } from './language/serving.js';
import type { SiteWords } from './language/site-words.js';
import { wrongUnit } from './number-units.js';

interface GapAt {
  readonly draft: number;
  /** Empty: the devices of a condition. */
  readonly slot: string;
  readonly value: number;
}

/** The first thing that stands between drafts and a plan. */
export type Gap =
  | { readonly is: 'missing'; readonly draft: number; readonly slot: string }
  | ({ readonly is: 'unknown' } & GapAt)
  | ({ readonly is: 'ambiguous'; readonly candidates: readonly string[] } & GapAt)
  /** A number in another unit than the one that is taken. */
  | ({ readonly is: 'unit'; readonly unit: string } & GapAt)
  /** Nobody serves it with this method: no question helps. */
  | ({ readonly is: 'unserved' } & GapAt)
  | { readonly is: 'doubt'; readonly words: string }
  | { readonly is: 'too_many' };

/** Names that several things bear mean, in a served slot, those that the agents serve. */
export function narrowed(packs: CompiledPacks, draft: Draft): Draft {
  if (!Object.values(draft.slots).some((values) => values.some(({ ids }) => ids.length > 1))) return draft;
  const rule = packs.ruleOf(draft.component, draft.intent);
  if (!rule) return draft;
  const slots = Object.entries(draft.slots).map(([name, values]) => {
    const served = rule.intent.slots[name]?.served === true;
    const own = values.map((value) =>
      served && isThing(value.kind) ? rule.servers.narrowed(value.kind, value) : value,
    );
    return [name, own] as const;
  });
  return { ...draft, slots: Object.fromEntries(slots) };
}

/** What stands between the slots of a draft and a plan. */
export function gapOf(packs: CompiledPacks, site: SiteWords, draft: Draft, index: number): Gap | undefined {
  const rule = packs.ruleOf(draft.component, draft.intent);
  if (!rule) return undefined;
  let served = 0;
  for (const [slot, declared] of Object.entries(rule.intent.slots)) {
    const values = draft.slots[slot] ?? [];
    const { entity: kind } = declared;
    if (declared.served && values.length > 0) served += declared.list ? 2 : 1;
    for (const [value, { ids }] of values.entries()) {
      if (ids[0] === undefined) return { is: 'unknown', draft: index, slot, value };
      if (kind === 'point') continue;
      if (ids.length > 1) return { is: 'ambiguous', draft: index, slot, value, candidates: ids.map(String) };
      const nobody = declared.served && isThing(kind) && rule.servers.of(kind, ids[0]).length === 0;
      if (nobody) return { is: 'unserved', draft: index, slot, value };
    }
    const fromSteps = declared.told_by_steps && (index > 0 || draft.guards.length > 0);
    if (values.length === 0 && declared.required && declared.default === undefined && !fromSteps) {
      return { is: 'missing', draft: index, slot };
    }
    if (!declared.list && values.length > 1 && !isThing(kind)) {
      const candidates = values.flatMap((one) => one.ids.map(String));
      return { is: 'ambiguous', draft: index, slot, value: -1, candidates };
    }
    const odd = wrongUnit(site, rule, draft, slot);
    if (odd) return { is: 'unit', draft: index, slot, ...odd };
  }
  if (served < 2) return undefined;
  const torn = copiesOf(rule, draft).find((copy) => copy.callee === undefined);
  const [slot, [alone] = []] = Object.entries(torn?.values ?? {}).at(-1) ?? [];
  if (slot !== undefined && alone) {
    return { is: 'unserved', draft: index, slot, value: (draft.slots[slot] ?? []).indexOf(alone) };
  }
  return undefined;
}

/** What stands between the conditions of a draft and a plan. */
export function guardGap(packs: CompiledPacks, draft: Draft, index: number): Gap | undefined {
  if (draft.guards.length === 0) return undefined;
  const devices = draft.guards.flatMap(({ terms }) => terms.flatMap((term) => term.devices));
  for (const { terms } of draft.guards) {
    for (const term of terms) {
      const source = packs.sourceOf(term.component, term.condition);
      const slot = Object.values(source?.intent.slots ?? {}).find((one) => one.entity === 'device');
      const subjects = term.devices.length > 0 ? term.devices : deviceValues(packs, draft);
      if (subjects.length === 0) return { is: 'missing', draft: index, slot: '' };
      for (const subject of subjects) {
        const value = Math.max(0, devices.indexOf(subject));
        const [id, ...others] = subject.ids;
        if (id === undefined || others.length > 0) return { is: 'unknown', draft: index, slot: '', value };
        if (slot?.served && source?.servers.of('device', id).length === 0)
          return { is: 'unserved', draft: index, slot: '', value };
      }
    }
  }
  return undefined;
}

function deviceValues(packs: CompiledPacks, draft: Draft): readonly SlotValue[] {
  const slots = packs.ruleOf(draft.component, draft.intent)?.intent.slots ?? {};
  return Object.entries(slots)
    .filter(([, slot]) => slot.entity === 'device')
    .flatMap(([name]) => draft.slots[name] ?? []);
}

/** What a gap speaks of, as it was said. */
export function valueAt(draft: Draft | undefined, gap: GapAt): SlotValue | undefined {
  if (gap.slot !== '') return draft?.slots[gap.slot]?.[gap.value];
  return draft?.guards.flatMap((guard) => guard.terms.flatMap((term) => term.devices))[gap.value];
}
