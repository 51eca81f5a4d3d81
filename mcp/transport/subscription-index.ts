/** Anything that listens on a pattern. */
export interface Indexed {
  readonly tokens: readonly string[];
}

interface Node<T> {
  readonly children: Map<string, Node<T>>;
  /** Listeners whose pattern ends here. */
  readonly here: Set<T>;
  /** Listeners whose pattern goes on with a final `>`. */
  readonly rest: Set<T>;
}

/**
 * Who listens to a subject, found by walking its tokens: the cost follows the depth of the subject, not the number
 * of subscriptions. Found lists are kept by subject until the next change.
 */
export class SubscriptionIndex<T extends Indexed> {
  private readonly root: Node<T> = emptyNode();
  private readonly found = new Map<string, readonly T[]>();

  constructor(private readonly keptSubjects = 1_024) {}

  add(entry: T): void {
    let node = this.root;
    const tokens = fixedTokens(entry);
    for (const token of tokens) {
      let child = node.children.get(token);
      if (!child) {
        child = emptyNode();
        node.children.set(token, child);
      }
      node = child;
    }
    listOf(node, entry).add(entry);
    this.found.clear();
  }

  remove(entry: T): void {
    const path: Node<T>[] = [this.root];
    const tokens = fixedTokens(entry);
    for (const token of tokens) {
      const child = path.at(-1)?.children.get(token);
      if (!child) return;
      path.push(child);
    }
    const end = path.at(-1);
    if (end) listOf(end, entry).delete(entry);
    for (let depth = tokens.length; depth > 0; depth--) {
      const node = path[depth];
      if (!node || node.children.size + node.here.size + node.rest.size > 0) break;
      path[depth - 1]?.children.delete(tokens[depth - 1] ?? '');
    }
    this.found.clear();
  }

  /** Kept from an earlier `match` of the same subject, if nothing changed since. */
  known(subject: string): readonly T[] | undefined {
    return this.found.get(subject);
  }

  match(subject: string): readonly T[] {
    const hit = this.found.get(subject);
    if (hit) return hit;
    const out: T[] = [];
    collect(this.root, subject.split('.'), 0, out);
    if (this.found.size >= this.keptSubjects) this.found.clear();
    this.found.set(subject, out);
    return out;
  }
}

function emptyNode<T>(): Node<T> {
  return { children: new Map(), here: new Set(), rest: new Set() };
}

const isOpen = (entry: Indexed): boolean => entry.tokens.at(-1) === '>';
const fixedTokens = (entry: Indexed): readonly string[] => (isOpen(entry) ? entry.tokens.slice(0, -1) : entry.tokens);
const listOf = <T extends Indexed>(node: Node<T>, entry: T): Set<T> => (isOpen(entry) ? node.rest : node.here);

function collect<T>(node: Node<T>, tokens: readonly string[], depth: number, out: T[]): void {
  const token = tokens[depth];
  if (token === undefined) {
    out.push(...node.here);
    return;
  }
  out.push(...node.rest);
  const exact = node.children.get(token);
  if (exact) collect(exact, tokens, depth + 1, out);
  const star = node.children.get('*');
  if (star) collect(star, tokens, depth + 1, out);
}
