import type { MarkerClass } from './lexicon.js';
import type { Reading } from './reading.js';

/** A stretch of the sentence that says one thing, and how it hangs on what stands before it. */
export interface Clause {
  readonly start: number;
  readonly end: number;
  /** Words of grammar that opened it. */
  readonly links: ReadonlySet<MarkerClass>;
  /** Sentence it belongs to: full stops and the like count on. */
  readonly sentence: number;
  /** A comma or a stop stands before it. */
  readonly paused: boolean;
  /** A colon stands before it. */
  readonly asked: boolean;
  /** 的话 ended it, or 就 follows it: a condition without an "if". */
  readonly conditional: boolean;
}

/** What is said about what was said: taken back, or about to be put right. */
export interface Turn {
  readonly turn: 'cancel' | 'correct';
}

export type Stretch = Clause | Turn;

export const isTurn = (stretch: Stretch): stretch is Turn => 'turn' in stretch;

const OPENERS: ReadonlySet<MarkerClass> = new Set([
  'if',
  'unless',
  'hence',
  'seq',
  'and',
  'or',
  'else',
  'but',
  'always',
  'reason',
]);
const STOPS = '.!?;\n';
const PAUSES = ',…、()[]';
/** Words that take back only when they stand alone; before a verb they deny it. */
const STRONG_CANCEL: ReadonlySet<string> = new Set([
  '算',
  'never',
  'nevermind',
  'nvm',
  'scratch',
  'forget',
  '还是',
  '当',
]);

interface Open {
  start: number;
  links: Set<MarkerClass>;
  paused: boolean;
}

/** Splits at punctuation and connectives outside entities. Linear. */
export class ClauseSplitter {
  readonly #reading: Reading;
  readonly #out: Stretch[] = [];
  #sentence = 0;
  #open: Open = { start: 0, links: new Set(), paused: true };

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  split(): readonly Stretch[] {
    const { tokens, entities, markers } = this.#reading;
    let at = 0;
    while (at < tokens.length) {
      const entity = entities.get(at);
      const marker = markers.get(at);
      if (entity) at = entity.end;
      else if (marker) {
        this.#marker(marker.kind, at, marker.end);
        at = marker.end;
      } else {
        const text = tokens[at]?.text ?? '';
        if (STOPS.includes(text) || PAUSES.includes(text) || this.#dash(at)) this.#pause(at, text);
        at += 1;
      }
    }
    this.#close(tokens.length, false, false, true);
    return this.#out;
  }

  #marker(kind: MarkerClass, at: number, end: number): void {
    if (kind === 'cancel' || kind === 'correct') this.#turn(kind, at, end);
    else if (kind === 'so') {
      this.#close(at, false, false);
      this.#open.links.add('so');
    } else if (kind === 'if_end') {
      const stated = this.#content(this.#open.start, at);
      this.#close(at, false, true);
      this.#open = { start: end, links: new Set([stated ? 'hence' : 'if']), paused: false };
    } else if (OPENERS.has(kind) && !this.#denialFollows(kind, end)) {
      this.#close(at, false, kind === 'hence');
      this.#open.start = end;
      this.#open.links.add(kind);
    }
  }

  /** 重启就不用了: 就 before a denial joins, it does not split. */
  #denialFollows(kind: MarkerClass, at: number): boolean {
    const next = this.#reading.markers.get(at)?.kind;
    return kind === 'hence' && next === 'cancel';
  }

  #turn(kind: 'cancel' | 'correct', at: number, end: number): void {
    const before = this.#content(this.#open.start, at);
    const after = !this.#standsAlone(end);
    const strong = kind === 'correct' || STRONG_CANCEL.has(this.#reading.tokens[at]?.text ?? '');
    if (kind === 'cancel' && (before || (after && !strong))) return;
    this.#close(at, false, false);
    this.#out.push({ turn: kind });
    this.#open = { start: end, links: new Set(), paused: false };
  }

  #standsAlone(at: number): boolean {
    let here = at;
    for (;;) {
      const token = this.#reading.tokens[here];
      if (!token || STOPS.includes(token.text) || PAUSES.includes(token.text)) return true;
      const marker = this.#reading.markers.get(here);
      if (marker?.kind !== 'filler') return false;
      here = marker.end;
    }
  }

  #dash(at: number): boolean {
    const { tokens } = this.#reading;
    const token = tokens[at];
    if (token?.text !== '-') return false;
    const next = tokens[at + 1];
    return next?.text === '-' || (next?.start ?? token.end) > token.end;
  }

  #pause(at: number, text: string): void {
    const stop = STOPS.includes(text);
    this.#close(at, text === '?', false, stop);
    if (stop) this.#sentence += 1;
    const links: Set<MarkerClass> = stop ? new Set() : this.#open.links;
    this.#open = { start: at + 1, links, paused: true };
  }

  /** A condition that breaks off at a stop is kept, empty, so that nothing passes for unconditional. */
  #close(end: number, asked: boolean, conditional: boolean, stops = false): void {
    const { start, links, paused } = this.#open;
    if (this.#content(start, end)) {
      this.#out.push({ start, end, links, sentence: this.#sentence, paused, asked, conditional });
      this.#open = { start: end, links: new Set(), paused: false };
    } else if (stops && (links.has('if') || links.has('unless'))) {
      this.#out.push({ start, end: start, links, sentence: this.#sentence, paused, asked, conditional });
    } else this.#open.start = end;
  }

  #content(start: number, end: number): boolean {
    const { tokens, entities, markers } = this.#reading;
    let at = start;
    while (at < end) {
      if (entities.has(at)) return true;
      const marker = markers.get(at);
      if (marker) {
        if (marker.kind !== 'filler' && !OPENERS.has(marker.kind)) return true;
        at = marker.end;
      } else {
        if (tokens[at]?.kind !== 'mark') return true;
        at += 1;
      }
    }
    return false;
  }
}

export const splitClauses = (reading: Reading): readonly Stretch[] => new ClauseSplitter(reading).split();
