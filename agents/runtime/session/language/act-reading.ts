import type { Clause } from './clauses.js';
import { isCodeOf } from './codes.js';
import type { Choice, CompiledIntent, CompiledPacks, VerbUse } from './compile-packs.js';
import { type Entity, unknownPerson } from './entities.js';
import type { Match } from './matcher.js';
import { type Mood, moodOf, readMood, reportMood } from './mood.js';
import type { Reading } from './reading.js';
import type { Referents } from './referents.js';
import { isThing } from './serving.js';

export interface ActPart {
  readonly rule: CompiledIntent;
  readonly score: number;
  /** Slot → the entity that the template or the clause gave. */
  readonly entities: ReadonlyMap<string, Entity>;
  /** Null: two different ones were said. */
  readonly choices: Readonly<Record<string, string | null>>;
  readonly text?: { readonly from: number; readonly to: number; readonly quoted: boolean };
  readonly mood: Mood;
  /** A word stands for the device, the zone or the person. */
  readonly refersTo: ReadonlySet<Referent>;
  /** Of a report: what the template matched. */
  readonly reported?: { readonly start: number; readonly end: number };
  /** It names a thing that nobody serves with this method. */
  readonly unserved: boolean;
  /** Words of the clause that nothing explains. */
  readonly unexplained: readonly { readonly at: number; readonly end: number }[];
}

export type Referent = 'device' | 'zone' | 'person';

/** What the words of a clause have given so far. */
interface Gathered {
  readonly entities: Map<string, Entity>;
  readonly choices: Record<string, string | null>;
  readonly refersTo: Set<Referent>;
  unserved: boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly verb: number;
  readonly match?: Match;
  readonly text?: NonNullable<ActPart['text']>;
}

/** Reads the calls of a clause: slots, mood, and what nothing explains. */
export class ActReader {
  readonly #reading: Reading;
  readonly #packs: CompiledPacks;
  readonly #referents: Referents;

  constructor(reading: Reading, packs: CompiledPacks, referents: Referents) {
    this.#reading = reading;
    this.#packs = packs;
    this.#referents = referents;
  }

  /** `own`: of the values that a served slot takes, others go to another rule. */
  act(clause: Clause, match: Match, span: { start: number; end: number }, own = false): ActPart {
    const rule = this.#packs.rules[match.rule] as CompiledIntent;
    const entities = new Map<string, Entity>();
    let text: ActPart['text'];
    for (const capture of match.captures) {
      const entity = this.#reading.entities.get(capture.start);
      if (rule.intent.slots[capture.slot]?.entity === 'text') {
        text = { from: capture.start, to: capture.end, quoted: entity?.kind === 'text' };
      } else if (entity) entities.set(capture.slot, entity);
    }
    const whole = { ...span, verb: match.start, match, ...(text ? { text } : {}) };
    const act = this.#complete(clause, rule, whole, entities, false);
    return own ? { ...act, entities: ownOf(rule, entities) } : act;
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
    const likely = candidates.filter((act) => act.score >= threshold(act) && isAbout(act));
    const writes = likely.filter((act) => act.rule.intent.effect === 'write');
    const pool = writes.length > 0 ? writes : likely;
    const top = pool.toSorted((a, b) => Number(a.unserved) - Number(b.unserved) || b.score - a.score)[0];
    if (!top) return [];
    const doubtful = top.rule.intent.effect === 'write' && top.mood.is === 'order';
    return [doubtful ? { ...top, mood: { is: 'doubt', why: 'wording' } } : top];
  }

  #complete(clause: Clause, rule: CompiledIntent, span: Span, found: Map<string, Entity>, inflected: boolean): ActPart {
    const gathered: Gathered = { entities: found, choices: {}, refersTo: new Set(), unserved: false };
    const unexplained: { at: number; end: number }[] = [];
    let explained = 0;
    const inText = (at: number): boolean => span.text !== undefined && at >= span.text.from && at < span.text.to;
    for (let at = span.start; at < span.end; ) {
      const step = inText(at)
        ? { end: span.text?.to ?? at + 1, known: true }
        : this.#word(rule, at, span.match, gathered);
      if (step.known) explained += step.end - at;
      else unexplained.push({ at, end: step.end });
      at = Math.max(step.end, at + 1);
    }
    const { entities, choices, refersTo, unserved } = gathered;
    this.#unknownRecipient(rule, unexplained, entities);
    const lost = unexplained.reduce((sum, one) => sum + one.end - one.at, 0);
    const score = explained / Math.max(1, explained + lost);
    const { report } = rule.intent;
    return {
      rule,
      score,
      entities,
      choices,
      mood: this.#mood(clause, rule, span, inflected),
      refersTo,
      unserved,
      unexplained,
      ...(span.text ? { text: span.text } : {}),
      ...(report && span.match ? { reported: { start: span.match.start, end: span.match.end } } : {}),
    };
  }

  #mood(clause: Clause, { intent }: CompiledIntent, span: Span, inflected: boolean): Mood {
    if (intent.report) return reportMood(this.#reading, clause, span);
    return intent.effect === 'write'
      ? moodOf(this.#reading, clause, span, inflected)
      : readMood(this.#reading, clause, span);
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
    match: Match | undefined,
    gathered: Gathered,
  ): { end: number; known: boolean } {
    const { choices, refersTo } = gathered;
    const entity = this.#reading.entities.get(at);
    const guessedWrite = match === undefined && rule.intent.effect === 'write';
    const inMatch = match !== undefined && at >= match.start && at < match.end;
    if (entity) {
      // 温度 in a template is a word, though it names a point too.
      if (inMatch && entity.end <= match.end) return { end: entity.end, known: true };
      const loose = rule.intent.effect === 'write' && entity.kind === 'number' && !captured(entity, gathered.entities);
      return { end: entity.end, known: !loose && takes(rule, entity, gathered) };
    }
    const choice = rule.choices.longest(this.#reading.tokens, at);
    if (choice) choose(choices, choice.value, rule);
    const marker = this.#reading.markers.get(at);
    if (marker?.kind === 'device_ref' || marker?.kind === 'zone_ref' || marker?.kind === 'person_ref') {
      refersTo.add(this.#referent(rule, at, marker.kind));
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

  #referent(rule: CompiledIntent, at: number, marker: 'device_ref' | 'zone_ref' | 'person_ref'): Referent {
    if (marker !== 'person_ref' && this.#referents.isZone(at) && hasSlot(rule, 'zone')) return 'zone';
    const wantsPerson = marker === 'person_ref' || !hasSlot(rule, 'device');
    return wantsPerson && hasSlot(rule, 'person') ? 'person' : 'device';
  }
}

/** A guess by verb needs an object of the intent, or nothing unexplained. */
function isAbout(act: ActPart): boolean {
  const explained = act.unexplained.length === 0;
  if (act.unserved && act.rule.intent.effect === 'read') return explained;
  return act.entities.size > 0 || act.refersTo.size > 0 || explained || act.mood.is === 'not';
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

/**
 * Gives the entity to the first free slot of its kind; false when no slot wants it. A slot that has to be filled takes
 * also what the agent does not serve, when no other does: then the speaker is told so.
 */
function takes(rule: CompiledIntent, entity: Entity, gathered: Gathered): boolean {
  const { entities } = gathered;
  if (captured(entity, entities)) return true;
  const { kind, values } = entity;
  let unserved: string | undefined;
  for (const [name, slot] of Object.entries(rule.intent.slots)) {
    if (slot.entity !== kind || entities.has(name)) continue;
    if (!isCodeOf(slot.pattern_prefix, values)) continue;
    if (!slot.served || !isThing(kind) || values.some((value) => rule.servers.mayServe(kind, value))) {
      entities.set(name, entity);
      return true;
    }
    if (slot.required) unserved ??= name;
  }
  if (unserved === undefined) return false;
  gathered.unserved = true;
  entities.set(unserved, entity);
  return true;
}

/** Entities without the values of served slots that other agents serve. */
function ownOf(rule: CompiledIntent, entities: ReadonlyMap<string, Entity>): ReadonlyMap<string, Entity> {
  const own = new Map<string, Entity>();
  for (const [name, entity] of entities) {
    const { kind } = entity;
    const served = rule.intent.slots[name]?.served === true && isThing(kind);
    const values = served ? entity.values.filter((value) => rule.servers.mayServe(kind, value)) : entity.values;
    own.set(name, { ...entity, values });
  }
  return own;
}

/** The first counts; but of two that contradict each other neither does where one is needed: it is asked. */
function choose(choices: Record<string, string | null>, { slot, value }: Choice, { intent }: CompiledIntent): void {
  const before = choices[slot];
  if (before === undefined) choices[slot] = value;
  else if (before !== value && intent.slots[slot]?.required) choices[slot] = null;
}
