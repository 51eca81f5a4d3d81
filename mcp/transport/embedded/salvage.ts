import { readdir, readFile } from 'node:fs/promises';
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

/**
 * LevelDB begins anew where the file that names the newest manifest is gone, whatever else lies there; one that names
 * what is not there is an error that can't be told from a failing disk.
 */
export async function lacksCurrent(path: string): Promise<boolean> {
  const names = (await unlessMissing(readdir(path))) ?? [];
  const newest = await unlessMissing(readFile(`${path}/CURRENT`, 'utf8'));
  if (newest === undefined) return names.some((name) => /^MANIFEST|\.(ldb|log)$/.test(name));
  return !newest.endsWith('\n') || !names.includes(newest.slice(0, -1));
}

async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function beginsAtOne(database: Database): Promise<boolean> {
  const [first = 'r 1'] = await database.keys({ gt: 'r ', lt: 'r!', limit: 1 }).all();
  return Number(first.slice(2)) === 1;
}

/**
 * More records than a journal holds (4 MB, LevelDB's write buffer): damage in the middle of a journal is passed over by
 * LevelDB in silence, damage of a table is not.
 */
const JOURNALLED = 65_536;

/** Whether the newest records follow one another without a gap. */
export async function hasNoHole(database: Database): Promise<boolean> {
  let after: number | undefined;
  for await (const key of database.keys({ gt: 'r ', lt: 'r!', reverse: true, limit: JOURNALLED })) {
    const seq = Number(key.slice(2));
    if (after !== undefined && seq !== after - 1) return false;
    after = seq;
  }
  return true;
}

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
