import { type FileHandle, open } from 'node:fs/promises';

/** How far a log had come, beside it: a log that is shorter has lost records, whatever it says itself. */
export interface HighWater {
  /** The last sequence that was written down; 0 when nothing was. */
  readonly seq: number;
  /** After each commit; a few bytes at one place, not synced: after a power cut it may be behind, never ahead. */
  note(seq: number): Promise<void>;
  close(): Promise<void>;
}

const BYTES = 20;

/** @throws the error of the disk. */
export async function openHighWater(path: string): Promise<HighWater> {
  const file = await openOrMake(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BYTES), 0, BYTES, 0);
  const seq = Number(buffer.toString('latin1', 0, bytesRead).trim());
  return {
    seq: Number.isSafeInteger(seq) && seq > 0 ? seq : 0,
    async note(reached) {
      await file.write(`${String(reached).padStart(BYTES - 1, ' ')}\n`, 0, 'latin1');
    },
    close: () => file.close(),
  };
}

async function openOrMake(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') throw error;
    return open(path, 'w+');
  }
}
