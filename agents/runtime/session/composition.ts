import type { Composition, Draft, Guard, NotDone, SlotValue, Term } from './draft.js';
import type { ActPart, ClauseMeaning } from './language/clause-meaning.js';
import type { Clause } from './language/clauses.js';
import type { CompiledPacks } from './language/compile-packs.js';
import { type Entity, sourceOf } from './language/entities.js';
import type { MarkerClass } from './language/lexicon.js';
import type { WhyNot } from './language/mood.js';
import type { Reading } from './language/reading.js';
import { valuesOf } from './values.js';

/** What earlier sentences of this session spoke of. */
export interface Mentioned {
  readonly devices: readonly string[];
  readonly persons: readonly string[];
}

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
  #guard: Guard | undefined;
  #guardUnknown = false;
  /** What a question asked: "is it online? If not, …". */
  #asked: Guard | undefined;
  #guardFresh = false;
  #sentence = 0;
  #quoted = -1;
  #correcting = false;
  #actedLast = false;
  #clause = 0;
  #guards = 0;
  #devices: readonly SlotValue[] = [];
  #persons: readonly SlotValue[] = [];

  constructor(sentence: Sentence) {
    this.#of = sentence;
  }

  cancel(): void {
    for (const draft of this.#drafts) this.#notDone.push({ intent: draft.intent, why: 'cancelled' });
    this.#drafts = [];
    this.#guard = undefined;
  }

  correct(): void {
    this.#correcting = true;
  }

  /** `last` says that no act follows in the same sentence. */
  clause(meaning: ClauseMeaning, last: boolean): void {
    const { clause } = meaning;
    this.#clause += 1;
    if (clause.sentence !== this.#sentence) {
      this.#sentence = clause.sentence;
      if (!CONTINUES.some((link) => clause.links.has(link))) this.#clearGuard();
    }
    if (clause.links.has('reason') && meaning.acts.length === 0) return this.#mention(meaning);
    this.#linkGuard(clause);
    if (this.#isCondition(meaning)) this.#condition(meaning, last);
    else if (clause.links.has('so') && meaning.acts.length === 0 && last) this.#trail();
    else if (meaning.conditions.length > 0 && meaning.acts.length === 0) this.#statement(meaning);
    if (meaning.acts.length > 0) this.#acts(meaning);
    else if (meaning.conditions.length === 0 && !meaning.conditionUnclear) this.#noAct(meaning);
    else this.#actedLast = false;
  }

  finish(): Composition {
    if (this.#correcting) this.#dropLast('cancelled');
    if (this.#drafts.length === 0 && this.#notDone.length === 0) this.#readStatements();
    const unclear = this.#unclear;
    const first = unclear[0];
    const drafts = this.#drafts.map((draft) =>
      first !== undefined && draft.doubt === undefined && this.#isWrite(draft) ? { ...draft, doubt: first } : draft,
    );
    return { drafts: drafts.map((draft) => this.#subjects(draft)), notDone: this.#notDone, unclear };
  }

  /** A condition that named no device speaks of the device that it guards elsewhere, or of the one just spoken of. */
  #subjects(draft: Draft): Draft {
    const guards = draft.guards.map((guard): Guard => {
      if (guard.terms.every((term) => term.devices.length > 0)) return guard;
      const fellows = this.#drafts.filter((other) => other.guards.some((one) => one.id === guard.id));
      const found = fellows.flatMap((other) =>
        Object.values(other.slots)
          .flat()
          .filter((value) => value.kind === 'device'),
      );
      const spoken = this.#of.mentioned.devices.map((id) => ({ kind: 'device', text: id, ids: [id] }));
      const devices = found.length > 0 ? found : spoken;
      return { ...guard, terms: guard.terms.map((term) => (term.devices.length > 0 ? term : { ...term, devices })) };
    });
    return { ...draft, guards };
  }

  #clearGuard(): void {
    this.#guard = undefined;
    this.#guardUnknown = false;
  }

  #isWrite(draft: Draft): boolean {
    return this.#of.packs.ruleOf(draft.component, draft.intent)?.intent.effect === 'write';
  }

  #linkGuard(clause: Clause): void {
    if (clause.links.has('always')) this.#clearGuard();
    const { links } = clause;
    if (links.has('else') && this.#guard) {
      if (!this.#guardFresh) this.#guard = { ...this.#guard, negated: !this.#guard.negated };
    } else if (links.has('else') || links.has('so')) this.#goBack(links.has('else'));
  }

  /** "If so", "if not": back to what was asked or last conditioned; to nothing known, nothing follows from it. */
  #goBack(negated: boolean): void {
    const known = this.#guard ?? this.#asked;
    this.#guard = known && { ...known, negated: known.negated !== negated };
    this.#guardUnknown = known === undefined;
  }

  #mention(meaning: ClauseMeaning): void {
    const named = [...meaning.conditionEntities, ...meaning.loose].filter((entity) => entity.kind === 'device');
    if (named.length > 0) this.#devices = named.flatMap(valuesOf);
  }

  #isCondition({ clause, conditions, acts }: ClauseMeaning): boolean {
    if (clause.links.has('if') || clause.links.has('unless') || clause.conditional) return true;
    return conditions.length > 0 && acts.length === 0 && this.#guardFresh && this.#guard !== undefined;
  }

  #condition(meaning: ClauseMeaning, last: boolean): void {
    const { clause } = meaning;
    if (meaning.conditions.length === 0 && meaning.acts.length === 0 && this.#isDenial(clause)) {
      this.#goBack(true);
      if (last) this.#trail();
      return;
    }
    const joins = clause.links.has('and') || clause.links.has('or');
    const opens =
      clause.links.has('if') || clause.links.has('unless') || (clause.conditional && !joins) || !this.#guardFresh;
    if (meaning.conditionUnclear && (opens || meaning.conditions.length === 0)) {
      const topic = clause.conditional && !clause.links.has('if') && meaning.conditions.length === 0;
      if (topic && (meaning.acts.length > 0 || this.#isBare(clause))) return;
      this.#guardUnknown = true;
      this.#guard = undefined;
      if (last && meaning.acts.length === 0) this.#dropUnguarded('condition_unknown');
      return;
    }
    const named = meaning.conditionEntities.filter((entity) => entity.kind === 'device').flatMap(valuesOf);
    const devices = named.length > 0 ? named : this.#devices;
    if (named.length > 0) this.#devices = named;
    const former = opens ? undefined : this.#guard;
    const added = this.#newGuard(clause, meaning.conditions, devices);
    this.#guard = former ? { ...added, terms: [...former.terms, ...added.terms], negated: former.negated } : added;
    this.#guardUnknown = false;
    this.#guardFresh = true;
    const trails = meaning.acts.length === 0 && (!clause.paused || last);
    if (trails) this.#guardBackwards(this.#guard);
  }

  #trail(): void {
    if (this.#guard) this.#guardBackwards(this.#guard);
    else this.#dropUnguarded('condition_unknown');
  }

  /** "if not": nothing but a denial. */
  #isDenial(clause: Clause): boolean {
    return this.#says(clause, 'neg') && this.#isBare(clause) && !this.#hasEntity(clause);
  }

  #hasEntity(clause: Clause): boolean {
    for (let at = clause.start; at < clause.end; at += 1) if (this.#of.reading.entities.has(at)) return true;
    return false;
  }

  /** "restart it if it is offline": the condition stands behind what it guards. */
  #guardBackwards(guard: Guard): void {
    this.#drafts = this.#drafts.map((draft) =>
      this.#isWrite(draft) && draft.guards.length === 0 ? this.#withDevice({ ...draft, guards: [guard] }) : draft,
    );
  }

  /** "restart it if PLC-007 is down": the condition behind names the device. */
  #withDevice(draft: Draft): Draft {
    const slots = this.#of.packs.ruleOf(draft.component, draft.intent)?.intent.slots ?? {};
    const open = Object.entries(slots).find(([name, slot]) => slot.entity === 'device' && !draft.slots[name]?.length);
    return open && this.#devices.length > 0 ? { ...draft, slots: { ...draft.slots, [open[0]]: this.#devices } } : draft;
  }

  #dropUnguarded(why: WhyNot): void {
    const kept: Draft[] = [];
    for (const draft of this.#drafts) {
      if (this.#isWrite(draft) && draft.guards.length === 0) this.#notDone.push({ intent: draft.intent, why });
      else kept.push(draft);
    }
    this.#drafts = kept;
  }

  #says(clause: Clause, kind: MarkerClass): boolean {
    for (let at = clause.start; at < clause.end; at += 1) {
      if (this.#of.reading.markers.get(at)?.kind === kind) return true;
    }
    return false;
  }

  /** "PLC-007离线了，重启它": what is reported gives the device; alone it is looked up. */
  #statement(meaning: ClauseMeaning): void {
    const named = meaning.conditionEntities.filter((entity) => entity.kind === 'device').flatMap(valuesOf);
    if (named.length > 0) this.#devices = named;
    for (const part of meaning.conditions) {
      this.#statements.push({
        component: part.component,
        condition: part.name,
        negated: false,
        devices: this.#devices,
        fresh: false,
      });
    }
  }

  #readStatements(): void {
    const first = this.#statements[0];
    if (!first || first.devices.length === 0) return;
    const of = this.#of.packs.conditionOf(first.component, first.condition)?.condition.of;
    for (const rule of this.#of.packs.rules) {
      if (rule.is !== 'intent' || rule.component !== first.component || rule.intent.method !== of) continue;
      const slot = Object.entries(rule.intent.slots).find(([, declared]) => declared.entity === 'device')?.[0];
      if (slot === undefined) return;
      const slots = { [slot]: first.devices };
      this.#drafts.push({ component: rule.component, intent: rule.intent.name, slots, clause: 0, guards: [] });
      return;
    }
  }

  #acts(meaning: ClauseMeaning): void {
    const { clause } = meaning;
    const hypothesis = clause.links.has('if') && meaning.conditions.length === 0;
    let replaced = this.#correcting && this.#actedLast ? this.#dropLast('cancelled') : undefined;
    this.#correcting = false;
    for (const act of meaning.acts) {
      const slots = this.#slots(act, meaning, replaced);
      const why = this.#whyNot(act, clause, hypothesis);
      if (why) this.#notDone.push({ intent: act.rule.intent.name, why });
      else this.#drafts.push(this.#draft(act, slots));
      replaced = undefined;
    }
    if (meaning.asked.length > 0) this.#asked = this.#newGuard(clause, meaning.asked, this.#devices);
    this.#guardFresh = false;
    this.#actedLast = true;
  }

  #newGuard(clause: Clause, parts: ClauseMeaning['conditions'], devices: readonly SlotValue[]): Guard {
    const fresh = this.#says(clause, 'still');
    this.#guards += 1;
    return {
      id: this.#guards,
      terms: parts.map(
        (part): Term => ({ component: part.component, condition: part.name, negated: part.negated, devices, fresh }),
      ),
      join: clause.links.has('and') || isAll(this.#of.reading, clause) ? 'and' : 'or',
      negated: clause.links.has('unless'),
    };
  }

  #draft(act: ActPart, slots: Draft['slots']): Draft {
    const { intent } = act.rule;
    const lost = act.unexplained[0];
    const either = [...act.entities.values()].find((entity) => entity.either);
    const odd = lost ?? (either ? { at: either.start, end: either.end } : undefined);
    const doubtful = intent.effect === 'write' && odd ? sourceOf(this.#of.reading, odd.at, odd.end) : undefined;
    const doubt = act.mood.is === 'doubt' ? (doubtful ?? '?') : doubtful;
    return {
      component: act.rule.component,
      intent: intent.name,
      slots,
      clause: this.#clause,
      guards: this.#guard ? [this.#guard] : [],
      ...(doubt === undefined ? {} : { doubt }),
    };
  }

  #whyNot(act: ActPart, clause: Clause, hypothesis: boolean): WhyNot | undefined {
    const write = act.rule.intent.effect === 'write';
    if (act.mood.is === 'not') return act.mood.why;
    if (write && this.#of.hypothetical) return 'hypothetical';
    if (hypothesis) return write ? 'hypothetical' : 'condition_unknown';
    if (this.#quoted === clause.sentence || (write && clause.links.has('reason'))) return 'quoted';
    return this.#guardUnknown ? 'condition_unknown' : undefined;
  }

  #slots(act: ActPart, meaning: ClauseMeaning, replaced: Draft | undefined): Draft['slots'] {
    const slots: Record<string, readonly SlotValue[]> = {};
    for (const [name, slot] of Object.entries(act.rule.intent.slots)) {
      const entity = act.entities.get(name);
      const choice = act.choices[name];
      if (entity) slots[name] = valuesOf(entity);
      else if (choice !== undefined) slots[name] = [{ kind: 'choice', text: choice, ids: [choice] }];
      else if (slot.entity === 'text' && act.text) slots[name] = [this.#text(act.text, meaning.clause)];
      else if (slot.entity === 'device') this.#fill(slots, name, this.#device(act, meaning));
      else if (slot.entity === 'person' && act.refersTo.has('person')) this.#fill(slots, name, this.#person());
      if (!slots[name] && replaced?.intent === act.rule.intent.name) {
        this.#fill(slots, name, replaced.slots[name] ?? []);
      }
      const values = slots[name];
      if (values && slot.entity === 'device') this.#devices = values;
      if (values && slot.entity === 'person') this.#persons = values;
    }
    return slots;
  }

  #fill(slots: Record<string, readonly SlotValue[]>, name: string, values: readonly SlotValue[]): void {
    if (values.length > 0) slots[name] = values;
  }

  /** The device of an act that names none: of the sentence; of the session only by a pronoun or for a read. */
  #device(act: ActPart, meaning: ClauseMeaning): readonly SlotValue[] {
    const inCondition = meaning.conditionEntities.filter((entity) => entity.kind === 'device').flatMap(valuesOf);
    if (inCondition.length > 0) return inCondition;
    if (this.#devices.length > 0) return this.#devices;
    if (!act.refersTo.has('device') && act.rule.intent.effect === 'write') return [];
    return this.#of.mentioned.devices.map((id) => ({ kind: 'device', text: id, ids: [id] }));
  }

  #person(): readonly SlotValue[] {
    if (this.#persons.length > 0) return this.#persons;
    return this.#of.mentioned.persons.map((id) => ({ kind: 'person', text: id, ids: [id] }));
  }

  #text(text: NonNullable<ActPart['text']>, clause: Clause): SlotValue {
    const { reading } = this.#of;
    const quoted = text.quoted ? reading.entities.get(text.from)?.values[0] : undefined;
    const end = Math.max(text.to, clause.end);
    const said = quoted?.text ?? sourceOf(reading, text.from, end).replace(/^[\s:：,，]+|[\s,，]+$/g, '');
    return { kind: 'text', text: said, ids: [said] };
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
    const bare = this.#isBare(clause);
    if (this.#says(clause, 'undo')) this.cancel();
    else if (this.#says(clause, 'nothing')) {
      if (!clause.links.has('else')) this.cancel();
    } else if (this.#says(clause, 'say')) this.#quoted = clause.sentence;
    else if (known.length > 0) this.#looseEntities(clause, known, bare);
    else if (this.#says(clause, 'neg') && bare) this.#denial(clause);
    else if (this.#says(clause, 'question') && bare)
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
    this.#drafts = this.#drafts.map((draft) => (this.#isWrite(draft) ? { ...draft, doubt: words } : draft));
  }

  #looseEntities(clause: Clause, entities: readonly Entity[], bare: boolean): void {
    const values = entities.flatMap(valuesOf);
    const denied = this.#says(clause, 'neg') || this.#says(clause, 'except') || this.#says(clause, 'cancel');
    if (denied) this.#exclude(values);
    else if (this.#correcting) {
      for (const kind of new Set(values.map((value) => value.kind))) {
        this.#put(
          kind,
          values.filter((value) => value.kind === kind),
          'replace',
        );
      }
      this.#correcting = false;
    } else if (this.#actedLast && bare && this.#drafts.length > 0 && this.#drafts.at(-1)?.clause === this.#clause - 1) {
      for (const kind of new Set(values.map((value) => value.kind))) {
        this.#put(
          kind,
          values.filter((value) => value.kind === kind),
          'add',
        );
      }
      if (clause.links.has('or') || clause.links.has('but'))
        this.#doubtAll(sourceOf(this.#of.reading, clause.start, clause.end));
      this.#drafts = this.#drafts.map((d) => (d.clause === this.#clause - 1 ? { ...d, clause: this.#clause } : d));
      return;
    } else if (!bare) this.#unclear.push(sourceOf(this.#of.reading, clause.start, clause.end));
    const devices = values.filter((value) => value.kind === 'device');
    const persons = values.filter((value) => value.kind === 'person');
    if (devices.length > 0 && !denied) this.#devices = devices;
    if (persons.length > 0 && !denied) this.#persons = persons;
    this.#actedLast = false;
  }

  /** Changes the slot of that kind in the last drafts that have one. */
  #put(kind: string, values: readonly SlotValue[], how: 'replace' | 'add'): void {
    const slotOf = (draft: Draft): string | undefined => {
      const slots = this.#of.packs.ruleOf(draft.component, draft.intent)?.intent.slots ?? {};
      return Object.entries(slots).find(([, slot]) => slot.entity === kind)?.[0];
    };
    const target = this.#drafts.findLast((draft) => slotOf(draft) !== undefined)?.clause;
    this.#drafts = this.#drafts.map((draft) => {
      const slot = slotOf(draft);
      if (draft.clause !== target || slot === undefined) return draft;
      const old = how === 'add' ? (draft.slots[slot] ?? []) : [];
      return { ...draft, slots: { ...draft.slots, [slot]: [...old, ...values] } };
    });
  }

  #exclude(values: readonly SlotValue[]): void {
    const ids = new Set(values.flatMap((value) => value.ids));
    const kept: Draft[] = [];
    for (const draft of this.#drafts) {
      const slots = Object.entries(draft.slots).map(([name, old]): [string, readonly SlotValue[]] => [
        name,
        old.filter((value) => !value.ids.some((id) => ids.has(id))),
      ]);
      const emptied = slots.some(([name, left]) => left.length === 0 && (draft.slots[name]?.length ?? 0) > 0);
      if (emptied) this.#notDone.push({ intent: draft.intent, why: 'negated' });
      else kept.push({ ...draft, slots: Object.fromEntries(slots) });
    }
    this.#drafts = kept;
  }

  /** Only entities, fillers and words of grammar. */
  #isBare(clause: Clause): boolean {
    const { reading } = this.#of;
    for (let at = clause.start; at < clause.end; ) {
      const entity = reading.entities.get(at);
      const marker = reading.markers.get(at);
      if (entity) at = entity.end;
      else if (marker && !MEANINGFUL.has(marker.kind)) at = marker.end;
      else if (reading.tokens[at]?.kind === 'mark' || reading.tokens[at]?.text === '是') at += 1;
      else return false;
    }
    return true;
  }
}

/** Links that carry a condition over a full stop: 重启它。然后通知张工 */
const CONTINUES = ['else', 'seq', 'and', 'hence'] as const;

const MEANINGFUL: ReadonlySet<string> = new Set(['time', 'quantifier', 'plain', 'repeat', 'undo']);

const isAll = (reading: Reading, clause: Clause): boolean =>
  reading.tokens.slice(clause.start, clause.end).some((token) => token.text === '都' || token.text === 'both');
