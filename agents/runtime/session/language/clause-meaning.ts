import type { Clause } from './clauses.js';
import type { CompiledIntent, CompiledPacks, VerbUse } from './compile-packs.js';
import { type Entity, unknownPerson } from './entities.js';
import type { Match, MatchInput } from './matcher.js';
import { type Mood, moodOf, ORDER } from './mood.js';
import type { PhraseTrie } from './phrase-trie.js';
import type { Reading } from './reading.js';

/** A condition as the clause states it. */
export interface ConditionPart {
  readonly component: string;
  readonly name: string;
  readonly negated: boolean;
}

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

export interface ClauseMeaning {
  readonly clause: Clause;
  readonly conditions: readonly ConditionPart[];
  /** The condition part says more than is understood. */
  readonly conditionUnclear: boolean;
  /** Entities and pronouns of the condition part. */
  readonly conditionEntities: readonly Entity[];
  readonly acts: readonly ActPart[];
  /** States that a read asks about, "is it online": what "if not" goes back to. */
  readonly asked: readonly ConditionPart[];
  /** Entities of a clause that has no act. */
  readonly loose: readonly Entity[];
  readonly tried: number;
  readonly best?: { readonly intent: string; readonly score: number };
}

/** Reads one clause against all packs. */
export class ClauseReader {
  readonly #reading: Reading;
  readonly #packs: CompiledPacks;
  readonly #copulas: PhraseTrie<true>;
  readonly #input: MatchInput;
  #end = 0;

  constructor(reading: Reading, packs: CompiledPacks, copulas: PhraseTrie<true>) {
    this.#reading = reading;
    this.#packs = packs;
    this.#copulas = copulas;
    this.#input = {
      length: reading.tokens.length,
      word: (at) => reading.tokens[at]?.text ?? '',
      skip: (at) => this.#skip(at),
      entity: (at, kind) => this.#entityEnd(at, kind),
    };
  }

  /** `textEnd` is how far the text of a message may reach beyond the clause. */
  meaning(clause: Clause, isCondition: boolean): ClauseMeaning {
    this.#end = clause.end;
    const matches = this.#packs.matcher.run(this.#input, clause.start, clause.end);
    const states = this.#cover(
      clause,
      matches.filter((match) => this.#packs.rules[match.rule]?.is === 'condition'),
    );
    const statement = !isCondition && this.#isStatement(clause, states);
    const chosen = statement ? states : this.#cover(clause, isCondition ? this.#conditionsFirst(matches) : matches);
    const conditions = chosen.filter((match) => this.#packs.rules[match.rule]?.is === 'condition');
    const acting = chosen.filter((match) => this.#packs.rules[match.rule]?.is === 'intent');
    const stated = isCondition || (conditions.length > 0 && acting.length === 0);
    const split = stated ? Math.max(clause.start, ...conditions.map((match) => match.end)) : clause.start;
    const acts = stated ? acting.filter((match) => match.start >= split) : acting;
    const meant = acts.map((match, index) =>
      this.#act(clause, match, {
        start: index === 0 ? split : (acts[index - 1]?.end ?? split),
        end: acts[index + 1]?.start ?? clause.end,
      }),
    );
    const guessed = statement ? [] : this.#checked(clause, split, meant);
    const condition = stated ? this.#condition(clause.start, guessed.length > 0 ? split : clause.end, conditions) : [];
    return {
      clause,
      conditions: condition,
      conditionUnclear: isCondition && (conditions.length === 0 || this.#unclear(clause, conditions, guessed, split)),
      conditionEntities: stated ? this.#entitiesIn(clause.start, guessed.length > 0 ? split : clause.end) : [],
      acts: guessed,
      asked: stated ? [] : this.#condition(clause.start, clause.end, states),
      loose: guessed.length === 0 ? this.#entitiesIn(clause.start, clause.end) : [],
      tried: matches.length,
      ...bestOf(guessed),
    };
  }

  /** A read that leaves a verb of change unexplained may be no read at all. */
  #checked(clause: Clause, from: number, meant: ActPart[]): ActPart[] {
    if (meant.length === 0) return this.#byVerb(clause, from);
    if (meant.some((act) => act.rule.intent.effect === 'write')) return meant;
    const changes = meant.some((act) =>
      act.unexplained.some(({ at }) =>
        this.#packs.verbs.longest(this.#reading.tokens, at)?.value.some(({ rule, form }) => {
          const verb = this.#packs.rules[rule];
          return form === 'base' && verb?.is === 'intent' && verb.intent.effect === 'write';
        }),
      ),
    );
    return changes ? this.#byVerb(clause, from) : meant;
  }

  /** "PLC-007离线了": a state and its device, nothing asked. */
  #isStatement(clause: Clause, matches: readonly Match[]): boolean {
    if (clause.asked || matches.length === 0) return false;
    return !this.#unclear(clause, matches, [], clause.start);
  }

  /** After "if" a state is a condition before it is a question: PLC-007离线. */
  #conditionsFirst(matches: readonly Match[]): readonly Match[] {
    const isCondition = (match: Match): boolean => this.#packs.rules[match.rule]?.is === 'condition';
    const covered = new Set<number>();
    for (const match of matches) {
      if (isCondition(match)) for (let at = match.start; at < match.end; at += 1) covered.add(at);
    }
    const overlaps = (match: Match): boolean => {
      for (let at = match.start; at < match.end; at += 1) if (covered.has(at)) return true;
      return false;
    };
    return matches.filter((match) => isCondition(match) || !overlaps(match));
  }

  #skip(at: number): number {
    const marker = this.#reading.markers.get(at);
    if (marker?.kind === 'filler' || marker?.kind === 'polite') return marker.end;
    const token = this.#reading.tokens[at];
    return token?.kind === 'mark' && !this.#reading.entities.has(at) ? at + 1 : at;
  }

  #entityEnd(at: number, kind: string): number {
    const entity = this.#reading.entities.get(at);
    const marker = this.#reading.markers.get(at)?.kind;
    if (kind === 'choice') return this.#packs.choiceWords.longest(this.#reading.tokens, at)?.end ?? 0;
    if (kind === 'text') return entity?.kind === 'text' ? entity.end : this.#freeText(at);
    if (entity?.kind === kind) return entity.end;
    if (kind === 'device' && marker === 'device_ref') return this.#reading.markers.get(at)?.end ?? 0;
    if (kind === 'person' && (marker === 'person_ref' || isThem(this.#reading, at))) {
      return this.#reading.markers.get(at)?.end ?? 0;
    }
    return 0;
  }

  /** The rest of the clause, where it says anything. */
  #freeText(at: number): number {
    const first = this.#reading.tokens[at];
    if (!first || first.kind === 'mark' || INTRODUCERS.has(first.text)) return 0;
    if (first.kind === 'cjk' && this.#skip(at) > at) return 0;
    let from = at;
    while (from < this.#end) {
      const choice = this.#packs.choiceWords.longest(this.#reading.tokens, from);
      const next = Math.max(this.#skip(from), choice?.end ?? from);
      if (next === from) break;
      from = next;
    }
    if (from >= this.#end || this.#reading.markers.get(from)?.kind === 'cancel') return 0;
    const only = this.#reading.markers.get(from);
    return only?.end === this.#end && only.kind !== 'plain' ? 0 : this.#end;
  }

  /** The matches that together explain most of the clause, none over another. */
  #cover(clause: Clause, matches: readonly Match[]): Match[] {
    if (matches.length === 0) return [];
    const size = clause.end - clause.start;
    const ending: (Match[] | undefined)[] = new Array<Match[] | undefined>(size + 1).fill(undefined);
    for (const match of matches) {
      const at = match.end - clause.start;
      const list = ending[at];
      if (list) list.push(match);
      else ending[at] = [match];
    }
    const values: number[] = [0];
    const picks: (Match | undefined)[] = [undefined];
    for (let at = 1; at <= size; at += 1) {
      let top = values[at - 1] ?? 0;
      let pick: Match | undefined;
      for (const match of ending[at] ?? []) {
        const value = (values[match.start - clause.start] ?? 0) + this.#worth(match);
        if (value <= top) continue;
        top = value;
        pick = match;
      }
      values.push(top);
      picks.push(pick);
    }
    const chosen: Match[] = [];
    for (let at = size; at > 0; ) {
      const pick = picks[at];
      if (pick) chosen.push(pick);
      at = pick ? pick.start - clause.start : at - 1;
    }
    return chosen.reverse();
  }

  /** Tokens explained, a little more for words than for slots, a little less for each further match. */
  #worth(match: Match): number {
    const cost = this.#packs.rules[match.rule]?.is === 'condition' ? 0.6 : 0.4;
    return match.end - match.start - cost + match.words * 0.01;
  }

  #act(clause: Clause, match: Match, span: { start: number; end: number }): ActPart {
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
  #byVerb(clause: Clause, from: number): ActPart[] {
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

  #condition(start: number, end: number, matches: readonly Match[]): ConditionPart[] {
    return matches.map((match, index) => {
      const rule = this.#packs.rules[match.rule];
      const from = index === 0 ? start : (matches[index - 1]?.end ?? start);
      let negated = false;
      for (let at = from; at < match.start && at < end; at += 1) {
        if (this.#reading.markers.get(at)?.kind === 'neg') negated = !negated;
      }
      const name = rule?.is === 'condition' ? rule.condition.name : '';
      return { component: rule?.component ?? '', name, negated };
    });
  }

  #unclear(clause: Clause, matches: readonly Match[], acts: readonly ActPart[], split: number): boolean {
    const end = acts.length > 0 ? split : clause.end;
    for (let at = clause.start; at < end; ) {
      const match = matches.find((one) => at >= one.start && at < one.end);
      const entity = this.#reading.entities.get(at);
      const marker = this.#reading.markers.get(at);
      const copula = this.#copulas.longest(this.#reading.tokens, at);
      const ref = marker?.kind === 'device_ref' || marker?.kind === 'neg' || marker?.kind === 'still';
      if (match) at = match.end;
      else if (entity?.kind === 'device') at = entity.end;
      else if (marker && (ref || marker.kind === 'filler')) at = marker.end;
      else if (copula) at = copula.end;
      else if (this.#reading.tokens[at]?.kind === 'mark') at += 1;
      else return true;
    }
    return false;
  }

  #entitiesIn(start: number, end: number): Entity[] {
    const found: Entity[] = [];
    for (let at = start; at < end; at += 1) {
      const entity = this.#reading.entities.get(at);
      if (entity) found.push(entity);
    }
    return found;
  }
}

/** Words that introduce the text of a message and are no part of it. */
const INTRODUCERS: ReadonlySet<string> = new Set(['that', 'saying', 'to', 'about', 'of', '说', '关', '声', '道']);

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
]);

const hasSlot = (rule: CompiledIntent, kind: string): boolean =>
  Object.values(rule.intent.slots).some((slot) => slot.entity === kind);

const isThem = (reading: Reading, at: number): boolean => reading.tokens[at]?.text === 'them';

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

function bestOf(acts: readonly ActPart[]): { best?: { intent: string; score: number } } {
  const top = acts.toSorted((a, b) => b.score - a.score)[0];
  return top ? { best: { intent: top.rule.intent.name, score: Math.round(top.score * 100) / 100 } } : {};
}
