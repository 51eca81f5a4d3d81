import type { Draft, SlotValue } from './draft.js';
import type { ActPart } from './language/act-reading.js';
import type { ClauseMeaning } from './language/clause-meaning.js';
import type { Clause } from './language/clauses.js';
import { sourceOf } from './language/entities.js';
import type { Reading } from './language/reading.js';
import type { IntentRule } from './language/rule-pack.js';
import { isThing } from './language/serving.js';
import { valuesOf } from './values.js';

type SlotRule = IntentRule['slots'][string];

const LISTS = { device: 'devices', zone: 'zones', person: 'persons' } as const;

/** What earlier sentences of this session spoke of. */
export interface Mentioned {
  readonly devices: readonly string[];
  readonly zones: readonly string[];
  readonly persons: readonly string[];
}

/** Fills the slots of an act from its clause, from what the sentence spoke of, and by pronoun from the session. */
export class SlotFiller {
  /** Last spoken of in this sentence. */
  devices: readonly SlotValue[] = [];
  zones: readonly SlotValue[] = [];
  persons: readonly SlotValue[] = [];
  #last: 'device' | 'zone' | undefined;
  readonly #reading: Reading;
  readonly #mentioned: Mentioned;

  constructor(reading: Reading, mentioned: Mentioned) {
    this.#reading = reading;
    this.#mentioned = mentioned;
  }

  /** What is named without an act: the next pronoun may mean it. */
  spoken(values: readonly SlotValue[], kinds: readonly ('device' | 'zone' | 'person')[]): void {
    for (const kind of kinds) {
      const own = values.filter((value) => value.kind === kind);
      if (own.length === 0) continue;
      this[LISTS[kind]] = own;
      if (kind !== 'person') this.#last = kind;
    }
  }

  slots(act: ActPart, meaning: ClauseMeaning, replaced: Draft | undefined): Draft['slots'] {
    const slots: Record<string, readonly SlotValue[]> = {};
    for (const [name, slot] of Object.entries(act.rule.intent.slots)) {
      const entity = act.entities.get(name);
      const choice = act.choices[name];
      if (entity) slots[name] = valuesOf(entity);
      else if (choice !== undefined && choice !== null) slots[name] = [{ kind: 'choice', text: choice, ids: [choice] }];
      else if (slot.entity === 'text' && act.text) slots[name] = [this.#text(act.text, meaning.clause)];
      else if (slot.entity === 'device') this.#fill(slots, name, this.#device(act, slot, meaning));
      else if (slot.entity === 'zone') this.#fill(slots, name, this.#thing(act, slot, 'zone', meaning.clause));
      else if (slot.entity === 'person' && act.refersTo.has('person')) this.#fill(slots, name, this.#person());
      if (!slots[name] && replaced?.intent === act.rule.intent.name) {
        this.#fill(slots, name, replaced.slots[name] ?? []);
      }
      const { entity: kind } = slot;
      const values = slots[name];
      if (values && (kind === 'device' || kind === 'zone' || kind === 'person')) this.spoken(values, [kind]);
    }
    return slots;
  }

  #fill(slots: Record<string, readonly SlotValue[]>, name: string, values: readonly SlotValue[]): void {
    if (values.length > 0) slots[name] = values;
  }

  /** The device of an act that names none: of the sentence; of the session only by a pronoun or for a read. */
  #device(act: ActPart, slot: SlotRule, meaning: ClauseMeaning): readonly SlotValue[] {
    const inCondition = meaning.conditionEntities.filter((entity) => entity.kind === 'device').flatMap(valuesOf);
    if (inCondition.length > 0) return inCondition;
    return this.#thing(act, slot, 'device', meaning.clause);
  }

  /** What need not be named is not taken from the session, and not beside another thing that is named. */
  #thing(act: ActPart, slot: SlotRule, kind: 'device' | 'zone', clause: Clause): readonly SlotValue[] {
    const list = LISTS[kind];
    const refers = act.refersTo.has(kind);
    const meant = refers || this.#names(clause, kind);
    const fits = (value: SlotValue): boolean => meant || !slot.served || act.rule.servers.mayServe(kind, value);
    const aside = !refers && !slot.required;
    if (aside && (this.#last !== kind || [...act.entities.values()].some((entity) => isThing(entity.kind)))) return [];
    const here = this[list].filter(fits);
    if (here.length > 0) return here;
    if (aside || (!refers && act.rule.intent.effect === 'write')) return [];
    return this.#mentioned[list].map((id) => ({ kind, text: id, ids: [id] })).filter(fits);
  }

  #names(clause: Clause, kind: string): boolean {
    for (let at = clause.start; at < clause.end; at += 1)
      if (this.#reading.entities.get(at)?.kind === kind) return true;
    return false;
  }

  #person(): readonly SlotValue[] {
    if (this.persons.length > 0) return this.persons;
    return this.#mentioned.persons.map((id) => ({ kind: 'person', text: id, ids: [id] }));
  }

  #text(text: NonNullable<ActPart['text']>, clause: Clause): SlotValue {
    const reading = this.#reading;
    const quoted = text.quoted ? reading.entities.get(text.from)?.values[0] : undefined;
    const end = Math.max(text.to, clause.end);
    const said = quoted?.text ?? sourceOf(reading, text.from, end).replace(/^[\s:：,，]+|[\s,，]+$/g, '');
    return { kind: 'text', text: said, ids: [said] };
  }
}
