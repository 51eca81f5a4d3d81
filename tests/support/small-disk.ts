import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small disk of its own (tmpfs), which can be filled. */
export interface SmallDisk {
  readonly path: string;
  /** Writes until only so many bytes are left, 0 for none at all. */
  fill(leaveBytes: number): void;
  /** What filled it is gone. */
  clear(): void;
  remove(): void;
}

/** Why there is none here; undefined where this user may mount one. */
export function noSmallDisk(): string | undefined {
  try {
    openSmallDisk('1m').remove();
    return undefined;
  } catch {
    return 'mounting a tmpfs is not permitted here';
  }
}

export function openSmallDisk(size: string): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'hermes-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch (error) {
    rmSync(path, { recursive: true });
    throw error;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill(leaveBytes) {
      const file = openSync(filler, 'a');
      try {
        for (;;) {
          const { bavail, bsize } = statfsSync(path);
          const more = Math.min(bavail * bsize - leaveBytes, 1 << 20);
          if (more <= 0) return;
          writeSync(file, new Uint8Array(more));
        }
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    clear: () => rmSync(filler, { force: true }),
    remove() {
      execFileSync('umount', ['-l', path], { stdio: 'ignore' });
      rmSync(path, { recursive: true });
    },
  };
}
