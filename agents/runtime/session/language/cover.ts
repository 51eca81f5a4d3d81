import type { Clause } from './clauses.js';
import type { CompiledRule } from './compile-packs.js';
import type { Match } from './matcher.js';

/** The matches that together explain most of the clause, none over another. */
export function cover(clause: Clause, matches: readonly Match[], rules: readonly CompiledRule[]): Match[] {
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
      const value = (values[match.start - clause.start] ?? 0) + worth(match, rules);
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

/**
 * Tokens explained, a little more for words than for slots, a little less for each further match. What is reported
 * outweighs what is asked in the same words.
 */
function worth(match: Match, rules: readonly CompiledRule[]): number {
  const rule = rules[match.rule];
  const cost = rule?.is === 'condition' ? 0.6 : rule?.intent.report ? 0.39 : 0.4;
  return match.end - match.start - cost + match.words * 0.01;
}
