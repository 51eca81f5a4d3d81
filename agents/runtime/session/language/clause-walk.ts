import { isCodeOf } from './codes.js';
import type { CompiledPacks } from './compile-packs.js';
import type { MarkerClass } from './lexicon.js';
import type { MatchInput, SlotKind } from './matcher.js';
import type { Reading } from './reading.js';
import type { Referents } from './referents.js';
import { isThing } from './serving.js';

/** A sentence as the automaton walks over it: words, entities, words that may be skipped, the text of a message. */
export class ClauseWalk implements MatchInput {
  readonly length: number;
  /** End of the clause; free text reaches as far. */
  end = 0;
  readonly #reading: Reading;
  readonly #packs: CompiledPacks;
  readonly #referents: Referents;

  constructor(reading: Reading, packs: CompiledPacks, referents: Referents) {
    this.#reading = reading;
    this.#packs = packs;
    this.#referents = referents;
    this.length = reading.tokens.length;
  }

  word(at: number): string {
    return this.#reading.tokens[at]?.text ?? '';
  }

  skip(at: number): number {
    const marker = this.#reading.markers.get(at);
    if (marker?.kind === 'filler' || marker?.kind === 'polite') return marker.end;
    const token = this.#reading.tokens[at];
    return token?.kind === 'mark' && !this.#reading.entities.has(at) ? at + 1 : at;
  }

  /** A list fits a served slot when one of its members does; the others are told apart later. */
  entity(at: number, { kind, servers, prefix }: SlotKind): number {
    const entity = this.#reading.entities.get(at);
    if (kind === 'choice') return this.#packs.choiceWords.longest(this.#reading.tokens, at)?.end ?? 0;
    if (kind === 'text') return entity?.kind === 'text' ? entity.end : this.#freeText(at);
    if (entity) {
      if (entity.kind !== kind || !isCodeOf(prefix, entity.values)) return 0;
      const foreign = servers && isThing(kind) && !entity.values.some((value) => servers.mayServe(kind, value));
      return foreign ? 0 : entity.end;
    }
    const marker = this.#reading.markers.get(at);
    return marker && standsFor(marker.kind, kind, at, this.#reading, this.#referents) ? marker.end : 0;
  }

  /** The rest of the clause, where it says anything. */
  #freeText(at: number): number {
    const first = this.#reading.tokens[at];
    if (!first || first.kind === 'mark' || INTRODUCERS.has(first.text)) return 0;
    if (first.kind === 'cjk' && this.skip(at) > at) return 0;
    let from = at;
    while (from < this.end) {
      const choice = this.#packs.choiceWords.longest(this.#reading.tokens, from);
      const next = Math.max(this.skip(from), choice?.end ?? from);
      if (next === from) break;
      from = next;
    }
    if (from >= this.end || this.#reading.markers.get(from)?.kind === 'cancel') return 0;
    const only = this.#reading.markers.get(from);
    return only?.end === this.end && only.kind !== 'plain' ? 0 : this.end;
  }
}

/** Words that introduce the text of a message and are no part of it. */
const INTRODUCERS: ReadonlySet<string> = new Set(['that', 'saying', 'to', 'about', 'of', '说', '关', '声', '道']);

/** A pronoun in the place of a slot. */
function standsFor(marker: MarkerClass, kind: string, at: number, reading: Reading, referents: Referents): boolean {
  if (kind === 'person') return marker === 'person_ref' || reading.tokens[at]?.text === 'them';
  if (marker !== 'device_ref' && marker !== 'zone_ref') return false;
  return kind === (referents.isZone(at) ? 'zone' : 'device');
}
