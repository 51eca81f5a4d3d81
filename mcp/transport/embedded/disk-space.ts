import { statfs } from 'node:fs/promises';
import type { DiskSpace } from '../transport.js';

/** Space on the disk of a folder, as a process without special rights has it. */
export async function diskSpace(path: string): Promise<DiskSpace> {
  const { bsize, bavail, blocks } = await statfs(path);
  return { path, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
