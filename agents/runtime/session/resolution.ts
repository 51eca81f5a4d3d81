import { LIMITS } from '../../../shared/limits.js';
import { celOfStep, joined } from './cel-path.js';
import type { Draft, Guard, SlotValue, Term } from './draft.js';
import type { CompiledIntent, CompiledPacks } from './language/compile-packs.js';
import type { SiteWords } from './language/site-words.js';
import type { IntendedAction } from './understanding.js';

/** The first thing that stands between drafts and a plan. */
export type Gap =
  | { readonly is: 'missing'; readonly draft: number; readonly slot: string }
  | { readonly is: 'unknown'; readonly draft: number; readonly slot: string; readonly value: number }
  | {
      readonly is: 'ambiguous';
      readonly draft: number;
      readonly slot: string;
      readonly value: number;
      readonly candidates: readonly string[];
    }
  | { readonly is: 'doubt'; readonly words: string }
  | { readonly is: 'too_many' };

export interface Resolution {
  readonly actions: readonly IntendedAction[];
  /** Nodes that the sentence pushes on the dialogue stack. */
  readonly nodes: readonly string[];
  readonly gap?: Gap;
}

type Slot = CompiledIntent['intent']['slots'][string];

interface Step extends IntendedAction {
  readonly clause: number;
  readonly guards: readonly Guard[];
}

/** Gives ids to drafts, inserts the reads that conditions speak of, binds and orders. Pure. */
export class Resolver {
  readonly #packs: CompiledPacks;
  readonly #site: SiteWords;
  readonly #steps: Step[] = [];
  readonly #nodes: string[] = [];
  readonly #told = new Set<string>();

  constructor(packs: CompiledPacks, site: SiteWords) {
    this.#packs = packs;
    this.#site = site;
  }

  resolve(drafts: readonly Draft[]): Resolution {
    if (drafts.length > LIMITS.planSteps) return { actions: [], nodes: [], gap: { is: 'too_many' } };
    for (const [index, draft] of drafts.entries()) {
      const gap = this.#gap(draft, index);
      if (gap) return { actions: [], nodes: [], gap };
    }
    const doubt = drafts.find((draft) => draft.doubt !== undefined)?.doubt;
    for (const draft of drafts) {
      this.#add(draft);
      if (this.#steps.length > LIMITS.planSteps) return { actions: [], nodes: [], gap: { is: 'too_many' } };
    }
    const actions = this.#steps.map(({ clause: _clause, guards: _guards, ...action }) => action);
    if (doubt !== undefined) return { actions, nodes: [], gap: { is: 'doubt', words: doubt } };
    return { actions, nodes: this.#nodes };
  }

  #gap(draft: Draft, index: number): Gap | undefined {
    const rule = this.#packs.ruleOf(draft.component, draft.intent);
    if (!rule) return undefined;
    for (const [slot, declared] of Object.entries(rule.intent.slots)) {
      const values = draft.slots[slot] ?? [];
      for (const [value, one] of values.entries()) {
        if (one.ids.length === 0) return { is: 'unknown', draft: index, slot, value };
        if (declared.entity === 'point') continue;
        if (one.ids.length > 1) return { is: 'ambiguous', draft: index, slot, value, candidates: one.ids.map(String) };
      }
      const fromSteps = declared.told_by_steps && (index > 0 || draft.guards.length > 0);
      if (values.length === 0 && declared.required && declared.default === undefined && !fromSteps) {
        return { is: 'missing', draft: index, slot };
      }
      if (!declared.list && values.length > 1 && declared.entity !== 'device') {
        const candidates = values.flatMap((one) => one.ids.map(String));
        return { is: 'ambiguous', draft: index, slot, value: -1, candidates };
      }
    }
    return this.#guardGap(draft, index);
  }

  #guardGap(draft: Draft, index: number): Gap | undefined {
    for (const guard of draft.guards) {
      for (const term of guard.terms) {
        const devices = term.devices.length > 0 ? term.devices : deviceValues(this.#packs, draft);
        if (devices.length === 0) return { is: 'missing', draft: index, slot: '' };
        const unknown = devices.findIndex((one) => one.ids.length !== 1);
        if (unknown >= 0) return { is: 'unknown', draft: index, slot: '', value: unknown };
      }
    }
    return undefined;
  }

  #add(draft: Draft): void {
    const rule = this.#packs.ruleOf(draft.component, draft.intent);
    if (!rule) return;
    const slots = Object.entries(rule.intent.slots);
    const deviceSlot = slots.find(([, slot]) => slot.entity === 'device' && !slot.list);
    const devices = deviceSlot ? (draft.slots[deviceSlot[0]] ?? []) : [];
    const copies = deviceSlot && devices.length > 0 ? unique(devices) : [undefined];
    for (const device of copies) this.#guardSteps(draft, device);
    if (!this.#nodes.includes(rule.intent.name)) this.#nodes.push(rule.intent.name);
    for (const device of copies) {
      const params = this.#params(rule, draft, deviceSlot?.[0], device);
      this.#push(rule, draft, params, device);
    }
  }

  /** The status reads that the guards of a draft need and no step has given yet. */
  #guardSteps(draft: Draft, device: SlotValue | undefined): void {
    for (const guard of draft.guards) {
      for (const term of guard.terms) {
        const source = this.#source(term);
        for (const id of subjects(term, device, guard.join)) {
          const key = `${guard.id}/${term.condition}/${id}`;
          const renewed = term.fresh && !this.#told.has(key);
          this.#told.add(key);
          if (!source || (!renewed && this.#reading(source, id))) continue;
          const slot = Object.values(source.intent.slots).find((one) => one.entity === 'device');
          if (!slot) continue;
          if (!this.#nodes.includes(source.intent.name)) this.#nodes.push(source.intent.name);
          const writes = this.#steps.filter((step) => step.effect === 'write').map((step) => step.id);
          this.#steps.push({
            ...this.#call(source),
            params: { [slot.param]: id },
            bind: {},
            depends_on: writes,
            clause: draft.clause,
            guards: [],
          });
        }
        if (!this.#nodes.includes(term.condition)) this.#nodes.push(term.condition);
      }
    }
  }

  #call(rule: CompiledIntent): Pick<IntendedAction, 'id' | 'intent' | 'callee' | 'method' | 'effect'> {
    const { name, method, effect } = rule.intent;
    return { id: `s${this.#steps.length + 1}`, intent: name, callee: rule.component, method, effect };
  }

  #source(term: Term): CompiledIntent | undefined {
    const of = this.#packs.conditionOf(term.component, term.condition)?.condition.of;
    const found = this.#packs.rules.find(
      (rule) => rule.is === 'intent' && rule.component === term.component && rule.intent.method === of,
    );
    return found?.is === 'intent' ? found : undefined;
  }

  /** The latest step that read this device by that method. */
  #reading(source: CompiledIntent, device: string): Step | undefined {
    return this.#steps.findLast(
      (step) =>
        step.callee === source.component &&
        step.method === source.intent.method &&
        Object.values(step.params).includes(device),
    );
  }

  #params(rule: CompiledIntent, draft: Draft, deviceSlot: string | undefined, device: SlotValue | undefined) {
    const params: Record<string, unknown> = {};
    for (const [name, slot] of Object.entries(rule.intent.slots)) {
      if (name === deviceSlot) {
        if (device) params[slot.param] = device.ids[0];
        continue;
      }
      const values = draft.slots[name] ?? [];
      const ids = [...new Set(values.map((value) => this.#id(value, slot, rule, device)))];
      if (ids.length > 0) params[slot.param] = slot.list ? ids : ids[0];
      else if (slot.default !== undefined) params[slot.param] = slot.default;
    }
    return params;
  }

  /** A point is the one of its names that the device has, and for a write the one that can be written. */
  #id(value: SlotValue, slot: Slot, rule: CompiledIntent, device: SlotValue | undefined): string | number | undefined {
    if (slot.entity !== 'point') return value.ids[0];
    const points = this.#site.pointsOf.get(String(device?.ids[0] ?? ''));
    const known = value.ids.find((id) => points?.has(String(id))) ?? value.ids[0];
    const target = this.#site.writtenAs.get(String(known));
    const writable = points?.get(String(known))?.access === 'rw';
    return rule.intent.effect === 'write' && target !== undefined && !writable ? target : known;
  }

  #push(rule: CompiledIntent, draft: Draft, params: Record<string, unknown>, device: SlotValue | undefined): void {
    const depends = new Set<string>();
    const when = draft.guards.map((guard) => this.#when(guard, device, depends));
    const bind = this.#bind(rule, params, device, depends);
    const write = rule.intent.effect === 'write';
    for (const step of this.#steps) {
      const waits = write ? step.clause !== draft.clause : step.effect === 'write' && step.clause !== draft.clause;
      if (waits && !exclusive(step.guards, draft.guards)) depends.add(step.id);
    }
    this.#steps.push({
      ...this.#call(rule),
      params,
      bind,
      ...(when.length > 0 ? { when: joined(when, 'and') } : {}),
      depends_on: this.#steps.map((step) => step.id).filter((id) => depends.has(id)),
      clause: draft.clause,
      guards: draft.guards,
    });
  }

  #when(guard: Guard, device: SlotValue | undefined, depends: Set<string>): string {
    const terms = guard.terms.map((term) => {
      const source = this.#source(term);
      const cel = this.#packs.conditionOf(term.component, term.condition)?.condition.cel ?? 'false';
      const each = subjects(term, device, guard.join).map((id) => {
        const step = source ? this.#reading(source, id) : undefined;
        if (!step) return 'false';
        depends.add(step.id);
        const said = celOfStep(cel, step.id);
        return term.negated ? `!(${said})` : said;
      });
      return joined(each, guard.join);
    });
    const all = joined(terms, guard.join);
    return guard.negated ? `!(${all})` : all;
  }

  #bind(rule: CompiledIntent, params: Record<string, unknown>, device: SlotValue | undefined, depends: Set<string>) {
    const bind: Record<string, string> = {};
    for (const wanted of rule.intent.bind) {
      if (params[wanted.param] !== undefined) continue;
      const id = device?.ids[0];
      const step = this.#steps.findLast(
        (one) => one.method === wanted.from && (id === undefined || Object.values(one.params).includes(id)),
      );
      if (!step) continue;
      bind[`/${wanted.param}`] = celOfStep(wanted.cel, step.id);
      depends.add(step.id);
    }
    return bind;
  }
}

/** Devices that a condition speaks of: for an action on one of them, that one alone. */
function subjects(term: Term, device: SlotValue | undefined, join: Guard['join']): string[] {
  const own = device === undefined ? undefined : String(device.ids[0]);
  const ids = unique(term.devices).map((one) => String(one.ids[0]));
  if (ids.length === 0) return own === undefined ? [] : [own];
  return join === 'or' && own !== undefined && ids.includes(own) ? [own] : ids;
}

function deviceValues(packs: CompiledPacks, draft: Draft): readonly SlotValue[] {
  const slots = packs.ruleOf(draft.component, draft.intent)?.intent.slots ?? {};
  return Object.entries(slots)
    .filter(([, slot]) => slot.entity === 'device')
    .flatMap(([name]) => draft.slots[name] ?? []);
}

const unique = (values: readonly SlotValue[]): readonly SlotValue[] =>
  values.filter((value, index) => values.findIndex((one) => one.ids[0] === value.ids[0]) === index);

/** The two branches of one condition never run both. */
const exclusive = (a: readonly Guard[], b: readonly Guard[]): boolean =>
  a.some((one) => b.some((other) => one.id === other.id && one.negated !== other.negated));
