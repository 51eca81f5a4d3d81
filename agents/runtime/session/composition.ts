import { LIMITS } from '../../../shared/limits.js';
import type { Composition, Draft, Guard, NotDone, Term } from './draft.js';
import {
  guardedBehind,
  isReport,
  isWrite,
  readOf,
  type Sorted,
  withoutAnswered,
  withoutUnguarded,
  withoutValues,
  withSubjects,
  withValues,
} from './draft-changes.js';
import { Guards } from './guarding.js';
import type { ActPart } from './language/act-reading.js';
import type { ClauseMeaning } from './language/clause-meaning.js';
import { hasEntity, isBare, says } from './language/clause-words.js';
import type { Clause } from './language/clauses.js';
import type { CompiledPacks } from './language/compile-packs.js';
import { type Entity, sourceOf } from './language/entities.js';
import type { WhyNot } from './language/mood.js';
import type { Reading } from './language/reading.js';
import { type Mentioned, SlotFiller } from './slot-filling.js';
import { valuesOf } from './values.js';

interface Sentence {
  readonly reading: Reading;
  readonly packs: CompiledPacks;
  readonly mentioned: Mentioned;
  readonly hypothetical: boolean;
}

/** Folds the clauses of a sentence, in order, into drafts: conditions, pronouns, lists, corrections. */
export class Composer {
  readonly #of: Sentence;
  #drafts: Draft[] = [];
  readonly #notDone: NotDone[] = [];
  readonly #unclear: string[] = [];
  readonly #statements: Term[] = [];
  #sentence = 0;
  #quoted = -1;
  #correcting = false;
  #actedLast = false;
  #clause = 0;
  readonly #guards: Guards;
  readonly #slots: SlotFiller;

  constructor(sentence: Sentence) {
    this.#of = sentence;
    this.#guards = new Guards(sentence.reading);
    this.#slots = new SlotFiller(sentence.reading, sentence.mentioned);
  }

  cancel(): void {
    for (const draft of this.#drafts) this.#notDone.push({ intent: draft.intent, why: 'cancelled' });
    this.#drafts = [];
    this.#guards.clear();
  }

  correct(): void {
    this.#correcting = true;
  }

  /** `last` says that no act follows in the same sentence. */
  clause(meaning: ClauseMeaning, last: boolean): void {
    if (this.#drafts.length > LIMITS.planSteps) return;
    const { clause } = meaning;
    this.#clause += 1;
    if (clause.sentence !== this.#sentence) {
      this.#sentence = clause.sentence;
      if (!CONTINUES.some((link) => clause.links.has(link))) this.#guards.clear();
    }
    if (clause.links.has('reason') && meaning.acts.length === 0) {
      this.#mention(meaning);
      return;
    }
    this.#guards.link(clause);
    if (this.#isCondition(meaning)) this.#condition(meaning, last);
    else if (clause.links.has('so') && meaning.acts.length === 0 && last) this.#trail();
    else if (meaning.conditions.length > 0 && meaning.acts.length === 0) this.#statement(meaning);
    if (meaning.acts.length > 0) this.#acts(meaning);
    else if (meaning.conditions.length === 0 && !meaning.conditionUnclear) this.#noAct(meaning);
    else this.#actedLast = false;
  }

  finish(): Composition {
    if (this.#correcting) this.#dropLast('cancelled');
    if (this.#drafts.length === 0 && this.#notDone.length === 0) {
      const state = this.#statements[0];
      const asks = state && state.devices.length > 0 ? readOf(this.#of.packs, state) : undefined;
      if (asks) this.#drafts.push(asks);
    }
    const unclear = this.#unclear;
    const first = unclear[0];
    const drafts = withoutAnswered(this.#of.packs, this.#drafts).map((draft) =>
      first !== undefined && draft.doubt === undefined && isWrite(this.#of.packs, draft)
        ? { ...draft, doubt: first }
        : draft,
    );
    return { drafts: withSubjects(drafts, this.#of.mentioned.devices), notDone: this.#notDone, unclear };
  }

  #mention(meaning: ClauseMeaning): void {
    this.#slots.spoken([...meaning.conditionEntities, ...meaning.loose].flatMap(valuesOf), ['device', 'zone']);
  }

  #isCondition({ clause, conditions, acts }: ClauseMeaning): boolean {
    if (clause.links.has('if') || clause.links.has('unless') || clause.conditional) return true;
    return conditions.length > 0 && acts.length === 0 && this.#guards.fresh && this.#guards.current !== undefined;
  }

  #condition(meaning: ClauseMeaning, last: boolean): void {
    const { clause } = meaning;
    if (meaning.conditions.length === 0 && meaning.acts.length === 0 && this.#isDenial(clause)) {
      this.#guards.goBack(true);
      if (last) this.#trail();
      return;
    }
    const joins = clause.links.has('and') || clause.links.has('or');
    const opens =
      clause.links.has('if') || clause.links.has('unless') || (clause.conditional && !joins) || !this.#guards.fresh;
    if (meaning.conditionUnclear && (opens || meaning.conditions.length === 0)) {
      const topic = clause.conditional && !clause.links.has('if') && meaning.conditions.length === 0;
      const orders = meaning.acts.some((act) => act.reported === undefined);
      if (topic && (orders || isBare(this.#of.reading, clause))) return;
      this.#guards.lose();
      if (last && meaning.acts.length === 0)
        this.#keep(withoutUnguarded(this.#of.packs, this.#drafts), 'condition_unknown');
      return;
    }
    const named = meaning.conditionEntities.filter((entity) => entity.kind === 'device').flatMap(valuesOf);
    const devices = named.length > 0 ? named : this.#slots.devices;
    this.#slots.spoken(named, ['device']);
    const guard = this.#guards.set(clause, meaning.conditions, devices, opens);
    const trails = meaning.acts.length === 0 && (!clause.paused || last);
    if (trails) this.#guardBehind(guard);
  }

  #guardBehind(guard: Guard): void {
    this.#drafts = guardedBehind(this.#of.packs, this.#drafts, guard, this.#slots.devices);
  }

  #keep({ kept, dropped }: Sorted, why: WhyNot): void {
    for (const draft of dropped) this.#notDone.push({ intent: draft.intent, why });
    this.#drafts = [...kept];
  }

  #trail(): void {
    if (this.#guards.current) this.#guardBehind(this.#guards.current);
    else this.#keep(withoutUnguarded(this.#of.packs, this.#drafts), 'condition_unknown');
  }

  /** "if not": nothing but a denial. */
  #isDenial(clause: Clause): boolean {
    return (
      says(this.#of.reading, clause, 'neg') && isBare(this.#of.reading, clause) && !hasEntity(this.#of.reading, clause)
    );
  }

  /** "PLC-007离线了，重启它": what is reported gives the device; alone it is looked up. */
  #statement(meaning: ClauseMeaning): void {
    this.#slots.spoken(meaning.conditionEntities.flatMap(valuesOf), ['device']);
    for (const part of meaning.conditions) {
      this.#statements.push({
        component: part.component,
        condition: part.name,
        negated: false,
        devices: this.#slots.devices,
        fresh: false,
      });
    }
  }

  #acts(meaning: ClauseMeaning): void {
    const { clause } = meaning;
    const hypothesis = clause.links.has('if') && meaning.conditions.length === 0;
    let replaced = this.#correcting && this.#actedLast ? this.#dropLast('cancelled') : undefined;
    this.#correcting = false;
    for (const act of meaning.acts) {
      const slots = this.#slots.slots(act, meaning, replaced);
      const why = this.#whyNot(act, clause, hypothesis);
      const lost = act.unexplained[0];
      if (lost && act.rule.intent.effect === 'read' && this.#actedLast) {
        // What stands behind an order and is only half read may be its condition.
        this.#doubtAll(sourceOf(this.#of.reading, lost.at, lost.end));
      }
      if (why) this.#notDone.push({ intent: act.rule.intent.name, why });
      else this.#drafts.push(this.#draft(act, slots));
      replaced = undefined;
    }
    if (meaning.asked.length > 0) this.#guards.asked = this.#guards.made(clause, meaning.asked, this.#slots.devices);
    this.#guards.fresh = false;
    this.#actedLast = true;
  }

  #draft(act: ActPart, slots: Draft['slots']): Draft {
    const { intent } = act.rule;
    const lost = act.unexplained[0];
    const either = [...act.entities.values()].find((entity) => entity.either);
    const odd = lost ?? (either ? { at: either.start, end: either.end } : undefined);
    const doubtful = intent.effect === 'write' && odd ? sourceOf(this.#of.reading, odd.at, odd.end) : undefined;
    const wondered = act.reported !== undefined && this.#of.hypothetical;
    const doubt = act.mood.is === 'doubt' || wondered ? (doubtful ?? '?') : doubtful;
    return {
      component: act.rule.component,
      intent: intent.name,
      slots,
      clause: this.#clause,
      guards: this.#guards.current ? [this.#guards.current] : [],
      ...(doubt === undefined ? {} : { doubt }),
    };
  }

  #whyNot(act: ActPart, clause: Clause, hypothesis: boolean): WhyNot | undefined {
    const write = act.rule.intent.effect === 'write';
    if (act.mood.is === 'not') return act.mood.why;
    if (act.reported && (clause.conditional || clause.links.has('unless'))) return 'hypothetical';
    if (write && !act.reported && this.#of.hypothetical) return 'hypothetical';
    if (hypothesis) return write ? 'hypothetical' : 'condition_unknown';
    if (this.#quoted === clause.sentence || (write && clause.links.has('reason'))) return 'quoted';
    return this.#guards.unknown ? 'condition_unknown' : undefined;
  }

  #dropLast(why: WhyNot): Draft | undefined {
    const last = this.#drafts.at(-1);
    if (!last) return undefined;
    this.#notDone.push({ intent: last.intent, why });
    this.#drafts = this.#drafts.filter((draft) => draft.clause !== last.clause);
    return last;
  }

  #noAct(meaning: ClauseMeaning): void {
    const { clause, loose } = meaning;
    const known = loose.filter((entity) => entity.kind !== 'text');
    const bare = isBare(this.#of.reading, clause);
    if (says(this.#of.reading, clause, 'undo')) this.cancel();
    else if (says(this.#of.reading, clause, 'nothing')) {
      if (!clause.links.has('else')) this.cancel();
    } else if (says(this.#of.reading, clause, 'say')) this.#quoted = clause.sentence;
    else if (known.length > 0) this.#looseEntities(clause, known, bare);
    else if (says(this.#of.reading, clause, 'neg') && bare) this.#denial(clause);
    else if (says(this.#of.reading, clause, 'attend') && !this.#drafts.some((draft) => isReport(this.#of.packs, draft)))
      this.#unclear.push(sourceOf(this.#of.reading, clause.start, clause.end));
    else if (says(this.#of.reading, clause, 'question') && bare)
      this.#doubtAll(sourceOf(this.#of.reading, clause.start, clause.end));
    else if (!bare && loose.length === 0) this.#unclear.push(sourceOf(this.#of.reading, clause.start, clause.end));
  }

  /** A denial alone: 不，PLC-004 puts right; 重启PLC-003，不要 takes back. */
  #denial(clause: Clause): void {
    const words = sourceOf(this.#of.reading, clause.start, clause.end);
    if (/^(不|不是|no|not)$/i.test(words.trim())) this.#correcting = true;
    else this.cancel();
  }

  #doubtAll(words: string): void {
    this.#drafts = this.#drafts.map((draft) => (isWrite(this.#of.packs, draft) ? { ...draft, doubt: words } : draft));
  }

  /** Values go to the drafts that take their kind. */
  #giveEach(values: ReturnType<typeof valuesOf>, how: 'replace' | 'add'): void {
    for (const kind of new Set(values.map((value) => value.kind))) {
      const own = values.filter((value) => value.kind === kind);
      this.#drafts = withValues(this.#of.packs, this.#drafts, kind, own, how);
    }
  }

  #looseEntities(clause: Clause, entities: readonly Entity[], bare: boolean): void {
    const values = entities.flatMap(valuesOf);
    const denied =
      says(this.#of.reading, clause, 'neg') ||
      says(this.#of.reading, clause, 'except') ||
      says(this.#of.reading, clause, 'cancel');
    if (denied) this.#keep(withoutValues(this.#drafts, values), 'negated');
    else if (this.#correcting) {
      this.#giveEach(values, 'replace');
      this.#correcting = false;
    } else if (this.#actedLast && bare && this.#drafts.length > 0 && this.#drafts.at(-1)?.clause === this.#clause - 1) {
      this.#giveEach(values, 'add');
      if (clause.links.has('or') || clause.links.has('but'))
        this.#doubtAll(sourceOf(this.#of.reading, clause.start, clause.end));
      this.#drafts = this.#drafts.map((d) => (d.clause === this.#clause - 1 ? { ...d, clause: this.#clause } : d));
      return;
    } else if (!bare || values.some((value) => value.kind === 'number'))
      this.#unclear.push(sourceOf(this.#of.reading, clause.start, clause.end));
    if (!denied) this.#slots.spoken(values, ['device', 'zone', 'person']);
    this.#actedLast = false;
  }
}

/** Links that carry a condition over a full stop: 重启它。然后通知张工 */
const CONTINUES = ['else', 'seq', 'and', 'hence'] as const;
