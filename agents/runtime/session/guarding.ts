import type { Guard, SlotValue, Term } from './draft.js';
import type { ConditionPart } from './language/clause-meaning.js';
import { isAll, says } from './language/clause-words.js';
import type { Clause } from './language/clauses.js';
import type { Reading } from './language/reading.js';

/** The condition that stands over the next action of a sentence. */
export class Guards {
  current: Guard | undefined;
  /** A condition was stated and is not understood: nothing under it may run. */
  unknown = false;
  /** Stated, and no action has come under it yet. */
  fresh = false;
  /** What a question asked: "is it online? If not, …". */
  asked: Guard | undefined;
  readonly #reading: Reading;
  #made = 0;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  clear(): void {
    this.current = undefined;
    this.unknown = false;
  }

  lose(): void {
    this.current = undefined;
    this.unknown = true;
  }

  /** What the words that open a clause do to the condition: otherwise, if so, always. */
  link({ links }: Clause): void {
    if (links.has('always')) this.clear();
    if (links.has('else') && this.current) {
      if (!this.fresh) this.current = { ...this.current, negated: !this.current.negated };
    } else if (links.has('else') || links.has('so')) this.goBack(links.has('else'));
  }

  /** "If so", "if not": back to what was asked or last conditioned; from nothing known nothing follows. */
  goBack(negated: boolean): void {
    const known = this.current ?? this.asked;
    if (this.unknown || !known) this.lose();
    else this.current = { ...known, negated: known.negated !== negated };
  }

  /** A new condition, or one more joined to the last. */
  set(clause: Clause, parts: readonly ConditionPart[], devices: readonly SlotValue[], opens: boolean): Guard {
    const former = opens ? undefined : this.current;
    const added = this.made(clause, parts, devices);
    const guard = former ? { ...added, terms: [...former.terms, ...added.terms], negated: former.negated } : added;
    this.current = guard;
    this.unknown = false;
    this.fresh = true;
    return guard;
  }

  made(clause: Clause, parts: readonly ConditionPart[], devices: readonly SlotValue[]): Guard {
    const fresh = says(this.#reading, clause, 'still');
    this.#made += 1;
    return {
      id: this.#made,
      terms: parts.map(
        (part): Term => ({ component: part.component, condition: part.name, negated: part.negated, devices, fresh }),
      ),
      join: clause.links.has('and') || isAll(this.#reading, clause) ? 'and' : 'or',
      negated: clause.links.has('unless'),
    };
  }
}
