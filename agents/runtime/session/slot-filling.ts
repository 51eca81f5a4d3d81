import type { Draft, SlotValue } from './draft.js';
import type { ActPart } from './language/act-reading.js';
import type { ClauseMeaning } from './language/clause-meaning.js';
import type { Clause } from './language/clauses.js';
import { sourceOf } from './language/entities.js';
import type { Reading } from './language/reading.js';
import { valuesOf } from './values.js';

/** What earlier sentences of this session spoke of. */
export interface Mentioned {
  readonly devices: readonly string[];
  readonly persons: readonly string[];
}

/** Fills the slots of an act from its clause, from what the sentence spoke of, and by pronoun from the session. */
export class SlotFiller {
  /** Last spoken of in this sentence. */
  devices: readonly SlotValue[] = [];
  persons: readonly SlotValue[] = [];
  readonly #reading: Reading;
  readonly #mentioned: Mentioned;

  constructor(reading: Reading, mentioned: Mentioned) {
    this.#reading = reading;
    this.#mentioned = mentioned;
  }

  slots(act: ActPart, meaning: ClauseMeaning, replaced: Draft | undefined): Draft['slots'] {
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
      if (values && slot.entity === 'device') this.devices = values;
      if (values && slot.entity === 'person') this.persons = values;
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
    if (this.devices.length > 0) return this.devices;
    if (!act.refersTo.has('device') && act.rule.intent.effect === 'write') return [];
    return this.#mentioned.devices.map((id) => ({ kind: 'device', text: id, ids: [id] }));
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
