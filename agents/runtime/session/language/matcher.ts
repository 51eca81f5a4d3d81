import { HermesError } from '../../../../shared/errors.js';
import type { Servers } from './serving.js';
import type { TemplateNode } from './template.js';

/**
 * All templates of all packs in one automaton over tokens and entities. No backtracking over the text: each state is
 * entered at most once for a start and a position, and templates are short, so that matching is linear in the text.
 */
interface State {
  readonly words: Map<string, number[]>;
  readonly slots: { readonly name: string; readonly kind: SlotKind; readonly target: number }[];
  readonly accepts: number[];
}

/** What a slot of a template takes: a kind of entity, and whose it has to be. One object for one label. */
export interface SlotKind {
  readonly label: string;
  readonly kind: string;
  readonly servers?: Servers;
  /** Of a code. */
  readonly prefix?: string;
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
  entity(at: number, kind: SlotKind): number;
}

type SimpleNode = Exclude<TemplateNode, { is: 'choice' }>;

interface Thread {
  readonly state: number;
  readonly at: number;
  readonly words: number;
  readonly capture: CaptureList | undefined;
}

interface CaptureList extends MatchCapture {
  readonly before: CaptureList | undefined;
}

export class TemplateMatcher {
  readonly #states: State[] = [{ words: new Map(), slots: [], accepts: [] }];
  readonly #shared = new Map<string, number>();
  readonly #optional: (word: string) => boolean;
  /** Kinds of slots that begin a template. */
  readonly #starts: SlotKind[] = [];

  /** `optional` says which single words of a template need not stand in the text. */
  constructor(optional: (word: string) => boolean) {
    this.#optional = optional;
  }

  add(rule: number, template: readonly TemplateNode[], kindOf: (slot: string) => SlotKind): void {
    for (const state of this.#sequence(template, [0], kindOf)) {
      const accepts = this.#states[state]?.accepts;
      if (accepts && !accepts.includes(rule) && state !== 0) accepts.push(rule);
    }
  }

  /** In a branch that must be chosen and holds only skippable words, "(ok|alive)", the words have to stand. */
  #sequence(
    nodes: readonly TemplateNode[],
    from: readonly number[],
    kindOf: (slot: string) => SlotKind,
    needed = false,
  ): number[] {
    const strict = needed && nodes.every((node) => node.is === 'word' && this.#optional(node.text));
    let current = [...from];
    for (const node of nodes) {
      if (node.is === 'choice') {
        const ends = node.of.flatMap((branch) => this.#sequence(branch, current, kindOf, !node.optional));
        current = [...new Set(node.optional ? [...current, ...ends] : ends)];
      } else {
        const next = this.#step(
          node,
          current.sort((a, b) => a - b),
          kindOf,
        );
        const stays = !strict && node.is === 'word' && this.#optional(node.text);
        current = stays ? [...new Set([...current, next])] : [next];
      }
    }
    return current;
  }

  /**
   * One more word or slot behind all states of `from`. Templates that agree up to here have the same states and so
   * share the new one; a state gets no further way in once it stands, so sharing never mixes two templates.
   */
  #step(node: SimpleNode, from: readonly number[], kindOf: (slot: string) => SlotKind): number {
    const label = node.is === 'word' ? node.text : `{${node.name}:${kindOf(node.name).label}}`;
    const key = `${from.join(',')} ${label}`;
    const shared = this.#shared.get(key);
    if (shared !== undefined) return shared;
    if (this.#states.length >= MAX_STATES) throw new HermesError('invalid_params', 'rule packs are too large');
    const target = this.#states.push({ words: new Map(), slots: [], accepts: [] }) - 1;
    for (const index of from) {
      const state = this.#states[index];
      if (!state) continue;
      if (node.is === 'slot') {
        const kind = kindOf(node.name);
        state.slots.push({ name: node.name, kind, target });
        if (index === 0 && !this.#starts.includes(kind)) this.#starts.push(kind);
      } else {
        const targets = state.words.get(node.text);
        if (targets) targets.push(target);
        else state.words.set(node.text, [target]);
      }
    }
    this.#shared.set(key, target);
    return target;
  }

  /** Every match in [from, to), at any start. */
  run(input: MatchInput, from: number, to: number): Match[] {
    const found: Match[] = [];
    for (let start = from; start < to; start += 1) {
      if (this.#canStart(input, start) && input.skip(start) === start) this.#from(input, start, to, found);
    }
    return found;
  }

  /** Most tokens begin no template; they cost one look-up. */
  #canStart(input: MatchInput, at: number): boolean {
    const first = this.#states[0];
    if (!first) return false;
    if (first.words.has(input.word(at))) return true;
    return this.#starts.some((kind) => input.entity(at, kind) > at);
  }

  #from(input: MatchInput, start: number, to: number, found: Match[]): void {
    const queue: Thread[] = [{ state: 0, at: start, words: 0, capture: undefined }];
    const seen = new Set<number>();
    for (let next = 0; next < queue.length; next += 1) {
      const thread = queue[next];
      const state = thread && this.#states[thread.state];
      if (!thread || !state) continue;
      for (const rule of state.accepts) found.push(matchOf(rule, start, thread));
      if (state.words.size > 0 || state.slots.length > 0) this.#advance(input, state, thread, to, queue, seen);
    }
  }

  #advance(input: MatchInput, state: State, thread: Thread, to: number, queue: Thread[], seen: Set<number>): void {
    const size = input.length + 1;
    let at = thread.at;
    while (at < to) {
      const targets = state.words.get(input.word(at));
      if (targets) {
        for (const target of targets) {
          const key = target * size + at + 1;
          if (seen.has(key)) continue;
          seen.add(key);
          queue.push({ state: target, at: at + 1, words: thread.words + 1, capture: thread.capture });
        }
      }
      for (const slot of state.slots) {
        const end = input.entity(at, slot.kind);
        const key = slot.target * size + end;
        if (end <= at || end > to || seen.has(key)) continue;
        seen.add(key);
        const capture: CaptureList = { slot: slot.name, start: at, end, before: thread.capture };
        queue.push({ state: slot.target, at: end, words: thread.words, capture });
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
