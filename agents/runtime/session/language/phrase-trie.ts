/** Phrases over tokens, found by longest match. Built once, read only afterwards. */
interface Node<T> {
  readonly next: Map<string, Node<T>>;
  value?: T;
}

export interface PhraseHit<T> {
  readonly value: T;
  /** Token after the last one of the phrase. */
  readonly end: number;
}

export class PhraseTrie<T> {
  readonly #root: Node<T> = { next: new Map() };

  /** A phrase added twice keeps `merge(old, new)`; by default the first. */
  add(tokens: readonly string[], value: T, merge: (old: T, added: T) => T = (old) => old): void {
    let node = this.#root;
    for (const token of tokens) {
      let next = node.next.get(token);
      if (!next) {
        next = { next: new Map() };
        node.next.set(token, next);
      }
      node = next;
    }
    if (node !== this.#root) node.value = node.value === undefined ? value : merge(node.value, value);
  }

  longest(tokens: readonly { readonly text: string }[], from: number): PhraseHit<T> | undefined {
    let node: Node<T> | undefined = this.#root;
    let hit: PhraseHit<T> | undefined;
    for (let at = from; at < tokens.length; at += 1) {
      node = node.next.get(tokens[at]?.text ?? '');
      if (!node) break;
      if (node.value !== undefined) hit = { value: node.value, end: at + 1 };
    }
    return hit;
  }
}
