import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { HermesError } from '../../../shared/errors.js';
import { systemRandom } from '../../../shared/random.js';

/** Held until released or until the process dies. */
export interface DataDirLock {
  release(): Promise<void>;
}

export interface LockHolder {
  readonly pid: number;
  /** Start of the process in clock ticks since boot, from /proc; null where there is none. */
  readonly start: string | null;
  readonly released: boolean;
}

const LOCK_FILE = /^hermes\.lock\.(\d+)$/;
const ATTEMPTS = 100;

/**
 * Takes a folder for this process. Each holder makes the lock file of the next generation by `link`, which only one
 * can do, and the highest generation rules. The highest file is never deleted, only followed by a higher one, so two
 * processes that find the same dead holder cannot both win, however late one of them acts.
 *
 * @throws HermesError `store_locked` with the holder's `pid`, the `path` and a `suggestion`.
 */
export async function lockDataDir(dir: string): Promise<DataDirLock> {
  await mkdir(dir, { recursive: true });
  const mine: LockHolder = { pid: process.pid, start: await processStart(process.pid), released: false };
  const draft = `${dir}/hermes.lock.draft-${process.pid}-${Buffer.from(systemRandom().bytes(8)).toString('hex')}`;
  await writeFile(draft, JSON.stringify(mine), { flag: 'wx' });
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const top = await topGeneration(dir);
      const holder = await holderOf(dir, top);
      if (holder && (await isHeld(holder))) throw storeLocked(dir, holder);
      if (!(await claim(draft, lockPath(dir, top + 1)))) continue;
      if ((await topGeneration(dir)) === top + 1) {
        await removeLower(dir, top + 1);
        return { release: () => release(lockPath(dir, top + 1), mine) };
      }
      await rm(lockPath(dir, top + 1), { force: true });
    }
    throw new HermesError('store_locked', `${dir} is being taken by others again and again`, { path: dir });
  } finally {
    await rm(draft, { force: true });
  }
}

/** Who holds a folder, or held it last. */
export async function readHolder(dir: string): Promise<LockHolder | undefined> {
  return holderOf(dir, await topGeneration(dir));
}

export function storeLocked(path: string, holder: LockHolder | undefined): HermesError {
  const who = holder ? `process ${holder.pid}` : 'another process';
  const suggestion = holder
    ? `stop process ${holder.pid} or give this one another data directory`
    : 'stop the other process or give this one another data directory';
  return new HermesError('store_locked', `${path} is in use by ${who}`, {
    path,
    suggestion,
    ...(holder && { pid: holder.pid }),
  });
}

const lockPath = (dir: string, generation: number): string => `${dir}/hermes.lock.${generation}`;

async function generations(dir: string): Promise<readonly number[]> {
  const names = await readdir(dir);
  return names.flatMap((name) => LOCK_FILE.exec(name)?.[1] ?? []).map(Number);
}

const topGeneration = async (dir: string): Promise<number> => Math.max(0, ...(await generations(dir)));

/** True when this process made the file. */
async function claim(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

async function removeLower(dir: string, generation: number): Promise<void> {
  for (const older of await generations(dir)) {
    if (older < generation) await rm(lockPath(dir, older), { force: true });
  }
}

/** The file stays, marked: its generation must not be used again. */
async function release(path: string, mine: LockHolder): Promise<void> {
  const draft = `${path}.released`;
  await writeFile(draft, JSON.stringify({ ...mine, released: true }));
  await rename(draft, path);
}

/** A file that is gone or unreadable has no holder: it was linked whole, so only a power cut leaves it torn. */
async function holderOf(dir: string, generation: number): Promise<LockHolder | undefined> {
  if (generation === 0) return undefined;
  try {
    const value: unknown = JSON.parse(await readFile(lockPath(dir, generation), 'utf8'));
    return isHolder(value) ? value : undefined;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('released' in value)) return false;
  return typeof value.pid === 'number' && typeof value.released === 'boolean';
}

async function isHeld({ pid, start, released }: LockHolder): Promise<boolean> {
  if (released || !isAlive(pid)) return false;
  const now = await processStart(pid);
  if (now === 'dead') return false;
  return start === null || now === null || start === now;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // Somebody else's process is a process.
    return codeOf(thrown) === 'EPERM';
  }
}

/** Field 22 of /proc/<pid>/stat, behind the parenthesised name; `dead` for one that only waits to be reaped. */
async function processStart(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'dead' : (fields[19] ?? null);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return null;
    throw thrown;
  }
}

function codeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}
