import type { Clause } from './clauses.js';
import type { CompiledIntent, CompiledPacks, VerbUse } from './compile-packs.js';
import { type Entity, unknownPerson } from './entities.js';
import type { Match } from './matcher.js';
import { type Mood, moodOf, ORDER } from './mood.js';
import type { Reading } from './reading.js';

export interface ActPart {
  readonly rule: CompiledIntent;
  readonly score: number;
  /** Slot → the entity that the template or the clause gave. */
  readonly entities: ReadonlyMap<string, Entity>;
  readonly choices: Readonly<Record<string, string>>;
  readonly text?: { readonly from: number; readonly to: number; readonly quoted: boolean };
  readonly mood: Mood;
  /** A word stands for the device, or for the person. */
  readonly refersTo: ReadonlySet<'device' | 'person'>;
  /** Words of the clause that nothing explains. */
  readonly unexplained: readonly { readonly at: number; readonly end: number }[];
}

/** Reads the calls of a clause: slots, mood, and what nothing explains. */
export class ActReader {
  readonly #reading: Reading;
  readonly #packs: CompiledPacks;

  constructor(reading: Reading, packs: CompiledPacks) {
    this.#reading = reading;
    this.#packs = packs;
  }

  act(clause: Clause, match: Match, span: { start: number; end: number }): ActPart {
    const rule = this.#packs.rules[match.rule] as CompiledIntent;
    const entities = new Map<string, Entity>();
    let text: ActPart['text'];
    for (const capture of match.captures) {
      const entity = this.#reading.entities.get(capture.start);
      if (rule.intent.slots[capture.slot]?.entity === 'text') {
        text = { from: capture.start, to: capture.end, quoted: entity?.kind === 'text' };
      } else if (entity) entities.set(capture.slot, entity);
    }
    return this.#complete(
      clause,
      rule,
      { ...span, verb: match.start, match, ...(text ? { text } : {}) },
      entities,
      false,
    );
  }

  /** No template fits: the verb and the entities of the clause still say what is meant. */
  byVerb(clause: Clause, from: number): ActPart[] {
    const uses: { use: VerbUse; at: number }[] = [];
    for (let at = from; at < clause.end; at += 1) {
      if (this.#reading.entities.has(at)) {
        at = (this.#reading.entities.get(at)?.end ?? at + 1) - 1;
        continue;
      }
      for (const use of this.#packs.verbs.longest(this.#reading.tokens, at)?.value ?? []) uses.push({ use, at });
    }
    const candidates: ActPart[] = [];
    const seen = new Set<number>();
    for (const { use, at } of uses) {
      if (seen.has(use.rule)) continue;
      seen.add(use.rule);
      const rule = this.#packs.rules[use.rule];
      if (rule?.is !== 'intent') continue;
      const span = { start: from, end: clause.end, verb: at };
      candidates.push(this.#complete(clause, rule, span, new Map(), use.form === 'inflected'));
    }
    const threshold = (act: ActPart): number => (act.rule.intent.effect === 'write' ? 0 : 0.6);
    const likely = candidates.filter((act) => act.score >= threshold(act) && this.#isAbout(act));
    const writes = likely.filter((act) => act.rule.intent.effect === 'write');
    const pool = writes.length > 0 ? writes : likely;
    const top = pool.toSorted((a, b) => b.score - a.score)[0];
    if (!top) return [];
    const doubtful = top.rule.intent.effect === 'write' && top.mood.is === 'order';
    return [doubtful ? { ...top, mood: { is: 'doubt', why: 'wording' } } : top];
  }

  /** A guess by verb needs an object of the intent, or nothing unexplained. */
  #isAbout(act: ActPart): boolean {
    return act.entities.size > 0 || act.refersTo.size > 0 || act.unexplained.length === 0 || act.mood.is === 'not';
  }

  #complete(
    clause: Clause,
    rule: CompiledIntent,
    span: { start: number; end: number; verb: number; match?: Match; text?: NonNullable<ActPart['text']> },
    entities: Map<string, Entity>,
    inflected: boolean,
  ): ActPart {
    const refersTo = new Set<'device' | 'person'>();
    const choices: Record<string, string> = {};
    const unexplained: { at: number; end: number }[] = [];
    let explained = 0;
    const inText = (at: number): boolean => span.text !== undefined && at >= span.text.from && at < span.text.to;
    for (let at = span.start; at < span.end; ) {
      const step = inText(at)
        ? { end: span.text?.to ?? at + 1, known: true }
        : this.#word(rule, at, span, entities, refersTo, choices);
      if (step.known) explained += step.end - at;
      else unexplained.push({ at, end: step.end });
      at = Math.max(step.end, at + 1);
    }
    this.#unknownRecipient(rule, unexplained, entities);
    const lost = unexplained.reduce((sum, one) => sum + one.end - one.at, 0);
    const stretch = {
      start: span.start,
      end: span.end,
      verb: span.verb,
      ...(span.match ? { match: span.match } : {}),
      ...(span.text ? { text: span.text } : {}),
    };
    const write = rule.intent.effect === 'write';
    const mood = write
      ? moodOf(this.#reading, clause, stretch, inflected)
      : this.#readMood(clause, stretch, span.match);
    const score = explained / Math.max(1, explained + lost);
    return { rule, score, entities, choices, mood, refersTo, unexplained, ...(span.text ? { text: span.text } : {}) };
  }

  /** "notify Bob": where a person is wanted, a capitalised word that nothing explains is one nobody knows. */
  #unknownRecipient(
    rule: CompiledIntent,
    unexplained: { at: number; end: number }[],
    entities: Map<string, Entity>,
  ): void {
    const slot = Object.entries(rule.intent.slots).find(
      ([name, one]) => one.entity === 'person' && !entities.has(name),
    );
    const index = unexplained.findIndex(({ at }) => {
      const token = this.#reading.tokens[at];
      return token?.kind === 'word' && /^[A-Z]/.test(this.#reading.text.slice(token.start, token.start + 1));
    });
    const word = unexplained[index];
    if (!slot || !word) return;
    entities.set(slot[0], unknownPerson(this.#reading, word.at, word.end));
    unexplained.splice(index, 1);
  }

  /** What one word or entity of an act's clause is to the act. */
  #word(
    rule: CompiledIntent,
    at: number,
    span: { match?: Match },
    entities: Map<string, Entity>,
    refersTo: Set<'device' | 'person'>,
    choices: Record<string, string>,
  ): { end: number; known: boolean } {
    const entity = this.#reading.entities.get(at);
    const guessedWrite = span.match === undefined && rule.intent.effect === 'write';
    if (entity) {
      const loose = rule.intent.effect === 'write' && entity.kind === 'number' && !captured(entity, entities);
      const known = !loose && takes(rule, entity, entities);
      return { end: entity.end, known };
    }
    const choice = rule.choices.longest(this.#reading.tokens, at);
    if (choice) choices[choice.value.slot] ??= choice.value.value;
    const marker = this.#reading.markers.get(at);
    const inMatch = span.match !== undefined && at >= span.match.start && at < span.match.end;
    if (marker?.kind === 'device_ref' || marker?.kind === 'person_ref') {
      const wantsPerson = marker.kind === 'person_ref' || !hasSlot(rule, 'device');
      refersTo.add(wantsPerson && hasSlot(rule, 'person') ? 'person' : 'device');
      return { end: marker.end, known: true };
    }
    if (choice) return { end: choice.end, known: true };
    const token = this.#reading.tokens[at];
    if (token?.kind === 'mark' || inMatch) return { end: at + 1, known: true };
    if (marker && GRAMMAR.has(marker.kind)) return { end: marker.end, known: true };
    if (guessedWrite) {
      const verb = this.#packs.verbs.longest(this.#reading.tokens, at);
      if (verb?.value.some((use) => this.#packs.rules[use.rule] === rule)) return { end: verb.end, known: true };
    }
    const known = rule.intent.effect === 'read' && rule.vocabulary.has(token?.text ?? '');
    return { end: known ? at + 1 : (marker?.end ?? at + 1), known };
  }

  #readMood(clause: Clause, stretch: { start: number; end: number; verb: number }, match?: Match): Mood {
    const limit = match?.start ?? stretch.verb;
    for (let at = stretch.start; at < stretch.end; at += 1) {
      const kind = this.#reading.markers.get(at)?.kind;
      const inside = match !== undefined && at >= match.start && at < match.end;
      if (inside) continue;
      if (kind === 'neg' && (at < limit || this.#reading.tokens[at]?.text !== '没'))
        return { is: 'not', why: 'negated' };
      if (kind === 'cancel') return { is: 'not', why: 'cancelled' };
      if (kind === 'say' && at < limit) return { is: 'not', why: 'quoted' };
      if (kind === 'past' && at < limit && !clause.asked) return { is: 'not', why: 'past' };
    }
    return ORDER;
  }
}

const GRAMMAR: ReadonlySet<string> = new Set([
  'so',
  'filler',
  'polite',
  'always',
  'still',
  'question',
  'past',
  'neg',
  'hence',
  'repeat',
]);

const hasSlot = (rule: CompiledIntent, kind: string): boolean =>
  Object.values(rule.intent.slots).some((slot) => slot.entity === kind);

const captured = (entity: Entity, entities: ReadonlyMap<string, Entity>): boolean =>
  [...entities.values()].includes(entity);

/** Gives the entity to the first free slot of its kind; false when no slot wants it. */
function takes(rule: CompiledIntent, entity: Entity, entities: Map<string, Entity>): boolean {
  for (const taken of entities.values()) if (taken === entity) return true;
  for (const [name, slot] of Object.entries(rule.intent.slots)) {
    if (slot.entity === entity.kind && !entities.has(name)) {
      entities.set(name, entity);
      return true;
    }
  }
  return false;
}
