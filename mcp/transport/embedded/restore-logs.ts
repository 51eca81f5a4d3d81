import { mkdir, readdir, rm } from 'node:fs/promises';
import { HermesError } from '../../../shared/errors.js';
import type { BackupPart } from '../backup/index.js';
import type { LogRecord } from '../log.js';
import { lockDataDir } from './data-dir-lock.js';
import { createLevelLog } from './level-log.js';

/** Records written in one synced batch. */
const BATCH = 500;
/** What may stand in the folder before: the operator puts the master key there; a lock tells who held it last. */
const isExpected = (name: string): boolean => name === 'keys' || name.startsWith('hermes.lock');

/**
 * Makes the logs of a data folder of a backup's records, sequences and times as they were.
 * @throws HermesError `invalid_params` when the folder is not empty, keys aside; whatever fails leaves no log there.
 */
export async function restoreLogs(dataDir: string, parts: AsyncIterable<BackupPart>): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const there = (await readdir(dataDir)).filter((name) => !isExpected(name));
  if (there.length > 0) {
    const problem = `is not empty: ${there.slice(0, 5).join(', ')}`;
    throw new HermesError('invalid_params', `${dataDir} ${problem}`, {
      fields: [{ pointer: '/data_dir', problem }],
      suggestion: 'name a folder that is not there, or holds nothing but keys',
    });
  }
  const lock = await lockDataDir(dataDir);
  const media = { heads: createLevelLog(`${dataDir}/heads`), log: createLevelLog(`${dataDir}/log`) };
  const batches: Record<keyof typeof media, LogRecord[]> = { heads: [], log: [] };
  const flush = async (stream: keyof typeof media): Promise<void> => {
    const entries = batches[stream].splice(0).map((record) => ({ record, key: undefined }));
    if (entries.length > 0) await media[stream].write({ entries, forget: [] });
  };
  try {
    for (const medium of Object.values(media)) await medium.load();
    for await (const part of parts) {
      if (part.kind !== 'record') continue;
      batches[part.stream].push(part.record);
      if (batches[part.stream].length >= BATCH) await flush(part.stream);
    }
    await flush('heads');
    await flush('log');
    for (const medium of Object.values(media)) await medium.close();
  } catch (error) {
    for (const medium of Object.values(media)) await medium.close();
    await discardLogs(dataDir);
    throw error;
  } finally {
    await lock.release();
  }
}

/** Takes the logs away that a restore made and that turned out to be of no use. */
export async function discardLogs(dataDir: string): Promise<void> {
  for (const name of ['heads', 'log', 'heads.mark', 'log.mark'])
    await rm(`${dataDir}/${name}`, { recursive: true, force: true });
}
