import { HermesError } from '../../../../shared/errors.js';
import type { TemplateNode } from './template.js';

/**
 * All templates of all packs in one automaton over tokens and entities. No backtracking over the text: each state is
 * entered at most once for a start and a position, and templates are short, so that matching is linear in the text.
 */
interface State {
  readonly words: Map<string, number[]>;
  readonly slots: { readonly name: string; readonly kind: string; readonly target: number }[];
  readonly accepts: number[];
  /** Reached by one path only: templates with the same beginning may share it. */
  readonly tree: boolean;
}

/** Packs that need more states are refused. */
const MAX_STATES = 60_000;

export interface MatchCapture {
  readonly slot: string;
  readonly start: number;
  readonly end: number;
}

export interface Match {
  /** Index of the rule, as given to `add`. */
  readonly rule: number;
  readonly start: number;
  readonly end: number;
  readonly captures: readonly MatchCapture[];
  /** Tokens matched word by word. */
  readonly words: number;
}

/** What the automaton walks over. */
export interface MatchInput {
  readonly length: number;
  word(at: number): string;
  /** End of the skippable words that begin at `at`, or `at`. */
  skip(at: number): number;
  /** End of an entity of the kind that begins at `at`; 0 when there is none. */
  entity(at: number, kind: string): number;
}

interface Thread {
  readonly state: number;
  readonly at: number;
  readonly words: number;
  readonly capture?: CaptureList;
}

interface CaptureList extends MatchCapture {
  readonly before?: CaptureList;
}

export class TemplateMatcher {
  readonly #states: State[] = [{ words: new Map(), slots: [], accepts: [], tree: true }];
  readonly #optional: (word: string) => boolean;

  /** `optional` says which single words of a template need not stand in the text. */
  constructor(optional: (word: string) => boolean) {
    this.#optional = optional;
  }

  add(rule: number, template: readonly TemplateNode[], kindOf: (slot: string) => string): void {
    for (const state of this.#sequence(template, [0], kindOf)) {
      const accepts = this.#states[state]?.accepts;
      if (accepts && !accepts.includes(rule) && state !== 0) accepts.push(rule);
    }
  }

  #grow(tree: boolean): number {
    if (this.#states.length >= MAX_STATES) throw new HermesError('invalid_params', 'rule packs are too large');
    this.#states.push({ words: new Map(), slots: [], accepts: [], tree });
    return this.#states.length - 1;
  }

  /** In a branch that must be chosen and holds only skippable words, "(ok|alive)", the words have to stand. */
  #sequence(
    nodes: readonly TemplateNode[],
    from: readonly number[],
    kindOf: (slot: string) => string,
    needed = false,
  ): number[] {
    const strict = needed && nodes.every((node) => node.is === 'word' && this.#optional(node.text));
    let current = [...from];
    for (const node of nodes) {
      if (node.is === 'choice') {
        const ends = node.of.flatMap((branch) => this.#sequence(branch, current, kindOf, !node.optional));
        current = [...new Set(node.optional ? [...current, ...ends] : ends)];
      } else {
        const next = this.#step(node, current, kindOf);
        const stays = !strict && node.is === 'word' && this.#optional(node.text);
        current = stays ? [...new Set([...current, next])] : [next];
      }
    }
    return current;
  }

  #step(
    node: Exclude<TemplateNode, { is: 'choice' }>,
    from: readonly number[],
    kindOf: (slot: string) => string,
  ): number {
    const [only, ...others] = from;
    const single = others.length === 0 && only !== undefined ? this.#states[only] : undefined;
    if (single?.tree) {
      const shared = this.#shared(single, node, kindOf);
      if (shared !== undefined) return shared;
    }
    const target = this.#grow(single?.tree === true);
    for (const index of from) {
      const state = this.#states[index];
      if (!state) continue;
      if (node.is === 'word') state.words.set(node.text, [...(state.words.get(node.text) ?? []), target]);
      else state.slots.push({ name: node.name, kind: kindOf(node.name), target });
    }
    return target;
  }

  #shared(state: State, node: Exclude<TemplateNode, { is: 'choice' }>, kindOf: (slot: string) => string) {
    const targets =
      node.is === 'word'
        ? (state.words.get(node.text) ?? [])
        : state.slots.filter((s) => s.name === node.name && s.kind === kindOf(node.name)).map((s) => s.target);
    return targets.find((target) => this.#states[target]?.tree);
  }

  /** Every match in [from, to), at any start. */
  run(input: MatchInput, from: number, to: number): Match[] {
    const found: Match[] = [];
    for (let start = from; start < to; start += 1) {
      if (input.skip(start) === start) this.#from(input, start, to, found);
    }
    return found;
  }

  #from(input: MatchInput, start: number, to: number, found: Match[]): void {
    let threads: Thread[] = [{ state: 0, at: start, words: 0 }];
    const seen = new Set<number>();
    while (threads.length > 0) {
      const next: Thread[] = [];
      for (const thread of threads) {
        const state = this.#states[thread.state];
        if (!state) continue;
        for (const rule of state.accepts) found.push(matchOf(rule, start, thread));
        this.#advance(input, state, thread, to, (moved) => {
          const key = moved.state * (input.length + 1) + moved.at;
          if (seen.has(key)) return;
          seen.add(key);
          next.push(moved);
        });
      }
      threads = next;
    }
  }

  #advance(input: MatchInput, state: State, thread: Thread, to: number, move: (thread: Thread) => void): void {
    let at = thread.at;
    while (at < to) {
      const words = state.words.get(input.word(at));
      if (words) {
        for (const target of words) move({ ...thread, state: target, at: at + 1, words: thread.words + 1 });
      }
      for (const slot of state.slots) {
        const end = input.entity(at, slot.kind);
        if (end <= at || end > to) continue;
        const capture: CaptureList = {
          slot: slot.name,
          start: at,
          end,
          ...(thread.capture ? { before: thread.capture } : {}),
        };
        move({ state: slot.target, at: end, words: thread.words, capture });
      }
      const past = input.skip(at);
      if (past <= at) return;
      at = past;
    }
  }
}

function matchOf(rule: number, start: number, thread: Thread): Match {
  const captures: MatchCapture[] = [];
  for (let item = thread.capture; item; item = item.before) {
    captures.unshift({ slot: item.slot, start: item.start, end: item.end });
  }
  return { rule, start, end: thread.at, captures, words: thread.words };
}
