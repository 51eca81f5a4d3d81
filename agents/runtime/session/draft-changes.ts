import type { Draft, Guard, SlotValue, Term } from './draft.js';
import type { CompiledPacks } from './language/compile-packs.js';
import { isThing } from './language/serving.js';

/** Changes of drafts while a sentence goes on: conditions that trail, corrections, lists, exclusions. All pure. */
export interface Sorted {
  readonly kept: readonly Draft[];
  readonly dropped: readonly Draft[];
}

export const isWrite = (packs: CompiledPacks, draft: Draft): boolean =>
  packs.ruleOf(draft.component, draft.intent)?.intent.effect === 'write';

export const isReport = (packs: CompiledPacks, draft: Draft): boolean =>
  packs.ruleOf(draft.component, draft.intent)?.intent.report === true;

const slotOf = (packs: CompiledPacks, draft: Draft, kind: string): string | undefined => {
  const slots = packs.ruleOf(draft.component, draft.intent)?.intent.slots ?? {};
  return Object.entries(slots).find(([, slot]) => slot.entity === kind)?.[0];
};

/** "restart it if PLC-007 is down": the condition stands behind what it guards, and may name its device. */
export function guardedBehind(
  packs: CompiledPacks,
  drafts: readonly Draft[],
  guard: Guard,
  devices: readonly SlotValue[],
): Draft[] {
  return drafts.map((draft) => {
    if (!isWrite(packs, draft) || draft.guards.length > 0) return draft;
    const slot = slotOf(packs, draft, 'device');
    const open = slot !== undefined && !draft.slots[slot]?.length && devices.length > 0;
    return { ...draft, guards: [guard], slots: open ? { ...draft.slots, [slot]: devices } : draft.slots };
  });
}

/** Writes that no condition guards fall away when the condition behind them is not known. */
export function withoutUnguarded(packs: CompiledPacks, drafts: readonly Draft[]): Sorted {
  const falls = (draft: Draft): boolean => isWrite(packs, draft) && draft.guards.length === 0;
  return { kept: drafts.filter((draft) => !falls(draft)), dropped: drafts.filter(falls) };
}

/** "三楼A区空调坏了，把它关掉": who reports and says what is to be done about it has that done, and no more. */
export function withoutAnswered(packs: CompiledPacks, drafts: readonly Draft[]): readonly Draft[] {
  if (!drafts.some((draft) => isReport(packs, draft))) return drafts;
  const orders = drafts.filter((draft) => isWrite(packs, draft) && !isReport(packs, draft));
  const answered = new Set(orders.flatMap(thingsOf));
  return drafts.filter((draft) => !isReport(packs, draft) || !thingsOf(draft).some((id) => answered.has(id)));
}

const thingsOf = (draft: Draft): (string | number)[] =>
  Object.values(draft.slots)
    .flat()
    .filter((value) => isThing(value.kind))
    .flatMap((value) => value.ids);

/** Changes the slot of that kind in the last drafts that have one. */
export function withValues(
  packs: CompiledPacks,
  drafts: readonly Draft[],
  kind: string,
  values: readonly SlotValue[],
  how: 'replace' | 'add',
): Draft[] {
  const target = drafts.findLast((draft) => slotOf(packs, draft, kind) !== undefined)?.clause;
  return drafts.map((draft) => {
    const slot = slotOf(packs, draft, kind);
    if (draft.clause !== target || slot === undefined) return draft;
    const old = how === 'add' ? (draft.slots[slot] ?? []) : [];
    return { ...draft, slots: { ...draft.slots, [slot]: [...old, ...values] } };
  });
}

/** "not PLC-003": takes it out; a draft that has nothing left falls away. */
export function withoutValues(drafts: readonly Draft[], values: readonly SlotValue[]): Sorted {
  const ids = new Set(values.flatMap((value) => value.ids));
  const kept: Draft[] = [];
  const dropped: Draft[] = [];
  for (const draft of drafts) {
    const slots: Record<string, readonly SlotValue[]> = {};
    let emptied = false;
    for (const [name, old] of Object.entries(draft.slots)) {
      const left = old.filter((value) => !value.ids.some((id) => ids.has(id)));
      emptied ||= left.length === 0 && old.length > 0;
      slots[name] = left;
    }
    if (emptied) dropped.push(draft);
    else kept.push({ ...draft, slots });
  }
  return { kept, dropped };
}

/** A condition that named no device speaks of the device that it guards elsewhere, or of the one just spoken of. */
export function withSubjects(drafts: readonly Draft[], spoken: readonly string[]): Draft[] {
  const deviceOf = (draft: Draft): SlotValue[] =>
    Object.values(draft.slots)
      .flat()
      .filter((value) => value.kind === 'device');
  return drafts.map((draft) => ({
    ...draft,
    guards: draft.guards.map((guard): Guard => {
      if (guard.terms.every((term) => term.devices.length > 0)) return guard;
      const fellows = drafts.filter((other) => other.guards.some((one) => one.id === guard.id));
      const found = fellows.flatMap(deviceOf);
      const devices = found.length > 0 ? found : spoken.map((id) => ({ kind: 'device', text: id, ids: [id] }));
      return { ...guard, terms: guard.terms.map((term) => (term.devices.length > 0 ? term : { ...term, devices })) };
    }),
  }));
}

/** The read that a reported state asks for when nothing else is said: "PLC-007离线了". */
export function readOf(packs: CompiledPacks, term: Term): Draft | undefined {
  const rule = packs.sourceOf(term.component, term.condition);
  if (!rule) return undefined;
  const draft = { component: rule.component, intent: rule.intent.name, slots: {}, clause: 0, guards: [] };
  const slot = slotOf(packs, draft, 'device');
  return slot === undefined ? undefined : { ...draft, slots: { [slot]: term.devices } };
}
