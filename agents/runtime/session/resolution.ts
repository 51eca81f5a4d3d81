import { LIMITS } from '../../../shared/limits.js';
import { celOfStep, joined } from './cel-path.js';
import { type Copy, copiesOf, unique } from './copies.js';
import type { Draft, Guard, SlotValue, Term } from './draft.js';
import { type Gap, gapOf, guardGap, narrowed } from './gaps.js';
import type { CompiledIntent, CompiledPacks } from './language/compile-packs.js';
import type { SiteWords } from './language/site-words.js';
import { pointMeant } from './number-units.js';
import type { IntendedAction } from './understanding.js';

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

  resolve(given: readonly Draft[]): Resolution {
    if (given.length > LIMITS.planSteps) return { actions: [], nodes: [], gap: { is: 'too_many' } };
    const drafts = given.map((draft) => narrowed(this.#packs, draft));
    for (const [index, draft] of drafts.entries()) {
      const guard = guardGap(this.#packs, draft, index);
      const gap = guard?.is === 'unserved' ? guard : (gapOf(this.#packs, this.#site, draft, index) ?? guard);
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

  #add(draft: Draft): void {
    const rule = this.#packs.ruleOf(draft.component, draft.intent);
    if (!rule) return;
    const copies = copiesOf(rule, draft);
    for (const copy of copies) this.#guardSteps(draft, deviceOf(rule, copy));
    if (!this.#nodes.includes(rule.intent.name)) this.#nodes.push(rule.intent.name);
    for (const copy of copies) this.#push(rule, draft, copy);
  }

  /** The status reads that the guards of a draft need and no step has given yet. */
  #guardSteps(draft: Draft, device: SlotValue | undefined): void {
    for (const guard of draft.guards) {
      for (const term of guard.terms) {
        const source = this.#packs.sourceOf(term.component, term.condition);
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
            ...this.#call(source, slot.served ? source.servers.of('device', id)[0] : undefined),
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

  #call(
    rule: CompiledIntent,
    callee = rule.component,
  ): Pick<IntendedAction, 'id' | 'intent' | 'callee' | 'method' | 'effect'> {
    const { name, method, effect } = rule.intent;
    return { id: `s${this.#steps.length + 1}`, intent: name, callee, method, effect };
  }

  /** The latest step that read this device by that method. */
  #reading(source: CompiledIntent, device: string): Step | undefined {
    return this.#steps.findLast(
      (step) =>
        source.servers.components.includes(step.callee) &&
        step.method === source.intent.method &&
        Object.values(step.params).includes(device),
    );
  }

  #params(rule: CompiledIntent, draft: Draft, copy: Copy, device: SlotValue | undefined): Record<string, unknown> {
    const params: Record<string, unknown> = {};
    for (const [name, slot] of Object.entries(rule.intent.slots)) {
      const values = copy.values[name] ?? draft.slots[name] ?? [];
      const ids = [...new Set(values.map((value) => this.#id(value, slot, rule, device)))];
      if (ids.length > 0) params[slot.param] = slot.list ? ids : ids[0];
      else if (slot.default !== undefined) params[slot.param] = slot.default;
    }
    return params;
  }

  #id(value: SlotValue, slot: Slot, rule: CompiledIntent, device: SlotValue | undefined): string | number | undefined {
    return slot.entity === 'point' ? pointMeant(this.#site, rule, value, device) : value.ids[0];
  }

  #push(rule: CompiledIntent, draft: Draft, copy: Copy): void {
    const device = deviceOf(rule, copy);
    const params = this.#params(rule, draft, copy, device);
    const depends = new Set<string>();
    const when = draft.guards.map((guard) => this.#when(guard, device, depends));
    const bind = this.#bind(rule, params, copy, depends);
    const write = rule.intent.effect === 'write';
    for (const step of this.#steps) {
      const waits = write ? step.clause !== draft.clause : step.effect === 'write' && step.clause !== draft.clause;
      if (waits && !exclusive(step.guards, draft.guards)) depends.add(step.id);
    }
    this.#steps.push({
      ...this.#call(rule, copy.callee),
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
      const source = this.#packs.sourceOf(term.component, term.condition);
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

  /** Of the latest step of that method about the same thing. */
  #bind(rule: CompiledIntent, params: Record<string, unknown>, copy: Copy, depends: Set<string>) {
    const bind: Record<string, string> = {};
    const things = new Set<unknown>(Object.values(copy.values).flatMap((values) => values.map(({ ids }) => ids[0])));
    for (const wanted of rule.intent.bind) {
      if (params[wanted.param] !== undefined) continue;
      const step = this.#steps.findLast(
        (one) =>
          one.method === wanted.from &&
          (things.size === 0 || Object.values(one.params).some((value) => things.has(value))),
      );
      if (!step) continue;
      const told = celOfStep(wanted.cel, step.id);
      const before = bind[`/${wanted.param}`];
      bind[`/${wanted.param}`] = before === undefined ? told : `(${before}) + (${told})`;
      depends.add(step.id);
    }
    return bind;
  }
}

/** The device that a call is about: whose conditions it stands under, whose points it names. */
function deviceOf({ intent }: CompiledIntent, copy: Copy): SlotValue | undefined {
  const slot = Object.entries(intent.slots).find(([, one]) => one.entity === 'device' && !one.list)?.[0];
  return slot === undefined ? undefined : copy.values[slot]?.[0];
}

/** Devices that a condition speaks of: for an action on one of them, that one alone. */
function subjects(term: Term, device: SlotValue | undefined, join: Guard['join']): string[] {
  const own = device === undefined ? undefined : String(device.ids[0]);
  const ids = unique(term.devices).map((one) => String(one.ids[0]));
  if (ids.length === 0) return own === undefined ? [] : [own];
  return join === 'or' && own !== undefined && ids.includes(own) ? [own] : ids;
}

/** The two branches of one condition never run both. */
const exclusive = (a: readonly Guard[], b: readonly Guard[]): boolean =>
  a.some((one) => b.some((other) => one.id === other.id && one.negated !== other.negated));
