/**
 * A member of at most one list at a time. What leaves a list loses its links, and so keeps nothing alive. A Set or a
 * Map under churn does: on growth V8 chains its old tables to the new ones, and one table that has grown old keeps
 * every later one, with all that stood in them, until the next full collection.
 */
export abstract class Linked {
  before: Linked | undefined = undefined;
  after: Linked | undefined = undefined;
}

class Anchor extends Linked {}

/** In order of arrival; insertion and removal at constant cost and without garbage. */
export class LinkedList<T extends Linked> implements Iterable<T> {
  readonly #anchor = new Anchor();
  #size = 0;

  constructor() {
    this.#anchor.before = this.#anchor;
    this.#anchor.after = this.#anchor;
  }

  get size(): number {
    return this.#size;
  }

  /** At the end; one that is in the list keeps its place. */
  add(member: T): void {
    if (member.after !== undefined) return;
    const last = this.#anchor.before as Linked;
    member.before = last;
    member.after = this.#anchor;
    last.after = member;
    this.#anchor.before = member;
    this.#size++;
  }

  /** False for one that is in no list. */
  delete(member: T): boolean {
    const { before, after } = member;
    if (before === undefined || after === undefined) return false;
    before.after = after;
    after.before = before;
    member.before = undefined;
    member.after = undefined;
    this.#size--;
    return true;
  }

  /** The member that is handed out may be deleted meanwhile; others may not. */
  *[Symbol.iterator](): Iterator<T> {
    for (let at = this.#anchor.after as Linked; at !== this.#anchor; ) {
      const next = at.after as Linked;
      yield at as T;
      at = next;
    }
  }
}
