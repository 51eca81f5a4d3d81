import { type ActPart, ActReader } from './act-reading.js';
import { ClauseWalk } from './clause-walk.js';
import type { Clause } from './clauses.js';
import type { CompiledPacks, CompiledRule } from './compile-packs.js';
import { cover } from './cover.js';
import type { Entity } from './entities.js';
import type { Match } from './matcher.js';
import { reportMood } from './mood.js';
import type { PhraseTrie } from './phrase-trie.js';
import type { Reading } from './reading.js';
import type { Referents } from './referents.js';
import { isThing, type Servers } from './serving.js';

/** A condition as the clause states it. */
export interface ConditionPart {
  readonly component: string;
  readonly name: string;
  readonly negated: boolean;
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
  readonly #walk: ClauseWalk;
  readonly #acts: ActReader;

  constructor(reading: Reading, packs: CompiledPacks, copulas: PhraseTrie<true>, referents: Referents) {
    this.#reading = reading;
    this.#packs = packs;
    this.#copulas = copulas;
    this.#walk = new ClauseWalk(reading, packs, referents);
    this.#acts = new ActReader(reading, packs, referents);
  }

  meaning(clause: Clause, isCondition: boolean): ClauseMeaning {
    this.#walk.end = clause.end;
    const { rules } = this.#packs;
    const matches = this.#fitting(clause, this.#packs.matcher.run(this.#walk, clause.start, clause.end));
    const states = cover(
      clause,
      matches.filter((match) => rules[match.rule]?.is === 'condition'),
      rules,
    );
    const covering = this.#covering(clause, matches, isCondition);
    const reported = covering.some(({ rule }) => isReport(rules[rule]));
    const statement = !isCondition && !reported && this.#isStatement(clause, states);
    const chosen = statement ? states : covering;
    if (chosen.length > MAX_PARTS)
      return { ...NO_MEANING, clause, conditionUnclear: isCondition, tried: matches.length };
    const conditions = chosen.filter((match) => this.#packs.rules[match.rule]?.is === 'condition');
    const acting = chosen.filter((match) => this.#packs.rules[match.rule]?.is === 'intent');
    const stated = isCondition || (conditions.length > 0 && acting.length === 0);
    const split = stated ? Math.max(clause.start, ...conditions.map((match) => match.end)) : clause.start;
    const acts = stated ? acting.filter((match) => match.start >= split) : acting;
    const meant = acts.flatMap((match, index) => {
      const start = index === 0 ? split : (acts[index - 1]?.end ?? split);
      const span = { start, end: acts[index + 1]?.start ?? clause.end };
      const fellows = this.#fellows(match, matches);
      return [match, ...fellows].map((one) => this.#acts.act(clause, one, span, fellows.length > 0));
    });
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

  /** What a report would mean is left where it reports nothing, "PLC-007离线？", and something else fits. */
  #covering(clause: Clause, matches: readonly Match[], isCondition: boolean): readonly Match[] {
    const { rules } = this.#packs;
    const all = isCondition ? this.#conditionsFirst(matches) : matches;
    if (!all.some((match) => isReport(rules[match.rule]))) return cover(clause, all, rules);
    const idle = (match: Match): boolean => {
      if (!isReport(rules[match.rule])) return false;
      const { start, end } = clause;
      return reportMood(this.#reading, clause, { start, end, verb: match.start, match }).is !== 'order';
    };
    const live = all.filter((match) => !idle(match));
    const chosen = cover(clause, live, rules);
    const acts = live.length === all.length || chosen.some((match) => rules[match.rule]?.is === 'intent');
    return acts ? chosen : cover(clause, all, rules);
  }

  /** Of conditions in the same words, those whose agents serve the devices of the clause. */
  #fitting(clause: Clause, matches: readonly Match[]): readonly Match[] {
    const { rules, groups } = this.#packs;
    if (groups.length < 2) return matches;
    const devices = this.#entitiesIn(clause.start, clause.end).filter((entity) => entity.kind === 'device');
    if (devices.length === 0) return matches;
    const fit = new Set<CompiledRule>();
    const unfit = new Set<CompiledRule>();
    for (const match of matches) {
      const rule = rules[match.rule];
      if (rule?.is !== 'condition' || fit.has(rule) || unfit.has(rule)) continue;
      const source = this.#packs.sourceOf(rule.component, rule.condition.name);
      const serves = devices.every((entity) => !source || servesAny(source.servers, entity));
      (serves ? fit : unfit).add(rule);
    }
    if (fit.size === 0 || unfit.size === 0) return matches;
    return matches.filter((match) => !unfit.has(rules[match.rule] as CompiledRule));
  }

  /** "查PLC-003和AHU-1": the same words to several agents, of which each serves a part of the list. */
  #fellows(match: Match, matches: readonly Match[]): Match[] {
    const fellows = new Set<Match>();
    for (const { slot, start } of match.captures) {
      const servers = this.#serversAt(match, slot);
      const entity = this.#reading.entities.get(start);
      if (!servers || !entity || !isThing(entity.kind)) continue;
      const { kind } = entity;
      for (const value of entity.values) {
        if (servers.mayServe(kind, value)) continue;
        const other = matches.find(
          (one) =>
            one.start === match.start &&
            one.end === match.end &&
            one.captures.some((at) => at.start === start && this.#serversAt(one, at.slot)?.mayServe(kind, value)),
        );
        if (other) fellows.add(other);
      }
    }
    return [...fellows];
  }

  #serversAt(match: Match, slot: string): Servers | undefined {
    const rule = this.#packs.rules[match.rule];
    return rule?.is === 'intent' && rule.intent.slots[slot]?.served ? rule.servers : undefined;
  }

  /**
   * A read that leaves a verb of change unexplained may be no read at all; one that leaves a quantity or a time is
   * not the read that was asked for.
   */
  #checked(clause: Clause, from: number, meant: ActPart[]): ActPart[] {
    if (meant.length === 0) return this.#acts.byVerb(clause, from);
    if (meant.some((act) => act.rule.intent.effect === 'write')) return meant;
    const changes = meant.some((act) =>
      act.unexplained.some(({ at }) =>
        this.#packs.verbs.longest(this.#reading.tokens, at)?.value.some(({ rule, form }) => {
          const verb = this.#packs.rules[rule];
          return form === 'base' && verb?.is === 'intent' && verb.intent.effect === 'write';
        }),
      ),
    );
    if (changes) return this.#acts.byVerb(clause, from);
    return meant.some((act) => act.unexplained.some(({ at }) => this.#qualifies(at))) ? [] : meant;
  }

  #qualifies(at: number): boolean {
    return this.#reading.entities.get(at)?.kind === 'number' || this.#reading.markers.get(at)?.kind === 'time';
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

const isReport = (rule: CompiledRule | undefined): boolean => rule?.is === 'intent' && rule.intent.report;

const servesAny = (servers: Servers, { kind, values }: Entity): boolean =>
  isThing(kind) && values.some((value) => servers.mayServe(kind, value));

/** Parts of one clause; more is noise. */
const MAX_PARTS = 24;

const NO_MEANING = {
  conditions: [],
  conditionEntities: [],
  acts: [],
  asked: [],
  loose: [],
} as const;

function bestOf(acts: readonly ActPart[]): { best?: { intent: string; score: number } } {
  const top = acts.toSorted((a, b) => b.score - a.score)[0];
  return top ? { best: { intent: top.rule.intent.name, score: Math.round(top.score * 100) / 100 } } : {};
}
