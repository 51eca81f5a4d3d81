import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';

/**
 * Checksums of LevelDB's tables, which never change once they are written. LevelDB has its own, but the binding does
 * not let them be checked, and a damaged table can end the process (google/leveldb#223); so tables are compared before
 * LevelDB sees them. One that came after the last `noteTables` is not known, and passes.
 */
const TABLE = /^\d+\.(ldb|sst)$/;
const SUMS = 'TABLES.json';
const LOST = 'lost';
const UNNOTED: ReadonlySet<string> = new Set(['ENOENT', 'ENOSPC', 'EDQUOT', 'EROFS']);

/** Moves tables that are not what they were into `lost/`, where a repair leaves its own. @returns their names. */
export async function setAsideTables(folder: string): Promise<readonly string[]> {
  const known = await readSums(folder);
  const aside: string[] = [];
  for (const name of await tablesIn(folder)) {
    const sum = known.get(name);
    if (sum === undefined || sum === (await sumOf(`${folder}/${name}`))) continue;
    await mkdir(`${folder}/${LOST}`, { recursive: true });
    await rename(`${folder}/${name}`, `${folder}/${LOST}/${name}`);
    aside.push(name);
  }
  return aside;
}

/**
 * Notes the tables that are there; LevelDB leaves a file alone that it does not know. On a disk that takes nothing, or
 * where the folder is gone, nothing is noted: such tables are not known, and pass.
 */
export async function noteTables(folder: string): Promise<void> {
  const known = await readSums(folder);
  const sums: Record<string, string> = {};
  for (const name of await tablesIn(folder)) {
    const sum = known.get(name) ?? (await sumUnlessGone(`${folder}/${name}`));
    if (sum !== undefined) sums[name] = sum;
  }
  const draft = `${folder}/${SUMS}.draft`;
  try {
    await writeFile(draft, JSON.stringify(sums));
    await rename(draft, `${folder}/${SUMS}`);
  } catch (thrown) {
    if (!UNNOTED.has(codeOf(thrown))) throw thrown;
  }
}

/** None where the file is missing or torn: then nothing is known. */
async function readSums(folder: string): Promise<ReadonlyMap<string, string>> {
  try {
    const value: unknown = JSON.parse(await readFile(`${folder}/${SUMS}`, 'utf8'));
    return new Map(Object.entries(value ?? {}).filter(([, sum]) => typeof sum === 'string'));
  } catch (thrown) {
    if (isMissing(thrown) || thrown instanceof SyntaxError) return new Map();
    throw thrown;
  }
}

async function tablesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => TABLE.test(name));
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}

/** A compaction may delete a table at any moment. */
async function sumUnlessGone(path: string): Promise<string | undefined> {
  try {
    return await sumOf(path);
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw thrown;
  }
}

const sumOf = async (path: string): Promise<string> =>
  createHash('sha1')
    .update(await readFile(path))
    .digest('hex');

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';

const isMissing = (thrown: unknown): boolean => codeOf(thrown) === 'ENOENT';
