import { Level } from 'level';
import { decodeRecord, decodeSeq, indexKey } from './record-codec.js';

type Database = Level<string, Uint8Array>;

/** What is wrong with a log that LevelDB has opened: in words, for whoever has to decide. Nothing when it is whole. */
export interface Findings {
  readonly lost: readonly string[];
}

/**
 * Rebuilds LevelDB’s files from what is left of them. It keeps every record that is whole, and may lose the newest:
 * what is left has to be examined.
 */
export const repairDatabase = (path: string): Promise<void> =>
  // In Node `level` is classic-level, whose types alone say that it can.
  (Level as unknown as { repair(location: string): Promise<void> }).repair(path);

/** Names at most; a disk that dies takes many. */
const NAMED = 5;

/**
 * Goes through a log that may have lost something: sequences without a gap up to where it had come, every record that
 * the heads and the indexes speak of there and readable.
 */
export async function examine(database: Database, highWater: number): Promise<Findings> {
  const lost: string[] = [];
  const bySubject = new Map<string, number>();
  let expected = 1;
  let last = 0;
  for await (const [key, value] of database.iterator({ gt: 'r ', lt: 'r!' })) {
    const seq = Number(key.slice(2));
    if (seq !== expected) lost.push(span(expected, seq - 1));
    expected = seq + 1;
    last = seq;
    const subject = subjectOf(seq, value);
    if (subject === undefined) lost.push(`record ${seq} is no record`);
    else bySubject.set(subject, seq);
  }
  if (last < highWater) lost.push(span(last + 1, highWater));
  for await (const [key, value] of database.iterator({ gt: 'h ', lt: 'h!' })) {
    const [subject, seq] = [key.slice(2), decodeSeq(value)];
    if (bySubject.get(subject) !== seq) lost.push(`the newest record of ${subject} (${seq})`);
  }
  for (const [subject, seq] of bySubject) {
    if ((await database.get(indexKey(subject, seq))) === undefined) lost.push(`the index of ${subject} at ${seq}`);
  }
  return { lost: lost.length > NAMED ? [...lost.slice(0, NAMED), `and ${lost.length - NAMED} more`] : lost };
}

const span = (from: number, to: number): string => (from === to ? `record ${from}` : `records ${from} to ${to}`);

function subjectOf(seq: number, value: Uint8Array): string | undefined {
  try {
    return decodeRecord(seq, value).subject;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
