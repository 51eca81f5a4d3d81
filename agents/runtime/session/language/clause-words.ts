import type { Clause } from './clauses.js';
import type { MarkerClass } from './lexicon.js';
import type { Reading } from './reading.js';

/** Whether a word of this class stands in the clause. */
export function says(reading: Reading, clause: Clause, kind: MarkerClass): boolean {
  for (let at = clause.start; at < clause.end; at += 1) if (reading.markers.get(at)?.kind === kind) return true;
  return false;
}

export function hasEntity(reading: Reading, clause: Clause): boolean {
  for (let at = clause.start; at < clause.end; at += 1) if (reading.entities.has(at)) return true;
  return false;
}

/** Only entities, fillers and words of grammar. */
export function isBare(reading: Reading, clause: Clause): boolean {
  for (let at = clause.start; at < clause.end; ) {
    const entity = reading.entities.get(at);
    const marker = reading.markers.get(at);
    if (entity) at = entity.end;
    else if (marker && !MEANINGFUL.has(marker.kind)) at = marker.end;
    else if (reading.tokens[at]?.kind === 'mark' || reading.tokens[at]?.text === '是') at += 1;
    else return false;
  }
  return true;
}

const MEANINGFUL: ReadonlySet<string> = new Set(['time', 'quantifier', 'plain', 'repeat', 'undo']);

/** "all of them", 都. */
export const isAll = (reading: Reading, clause: Clause): boolean =>
  reading.tokens.slice(clause.start, clause.end).some((token) => token.text === '都' || token.text === 'both');
