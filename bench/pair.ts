import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Measure, Measured } from './process.js';

/** A client and the workers of one stack, each a process of its own. */
export interface Pair {
  readonly name: string;
  measure(what: Measure): Promise<Measured>;
  stop(): Promise<void>;
}

const FILE = fileURLToPath(new URL('./process.js', import.meta.url));

/** Three busy processes and more on two cores: threads that collect garbage side by side would wait for each other. */
const FLAGS = ['--single-threaded-gc'];

export interface PairOptions {
  readonly url: string;
  /** Bytes of params beside the read itself. */
  readonly noteBytes?: number;
  /** Worker processes; default 1. */
  readonly workers?: number;
  /** Where each process writes a CPU profile when it ends. */
  readonly profileDir?: string | undefined;
}

export async function openPair(
  name: string,
  { url, noteBytes = 0, workers: count = 1, profileDir }: PairOptions,
): Promise<Pair> {
  const profile = (role: string): string[] =>
    profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}/${name} ${role}`] : [];
  const start = async (role: string): Promise<ChildProcess> => {
    const child = fork(FILE, [role, name, url, String(noteBytes)], { execArgv: [...FLAGS, ...profile(role)] });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${name} ${role} ended with ${code}`);
    });
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => undefined);
    return child;
  };
  const workers = await Promise.all(Array.from({ length: count }, () => start('worker')));
  const client = await start('client');
  return {
    name,
    async measure(what) {
      const answer = once(client, 'message');
      client.send(what);
      const [measured] = await answer;
      return measured as Measured;
    },
    async stop() {
      for (const child of [client, ...workers]) {
        const ended = child.exitCode === null ? once(child, 'exit') : undefined;
        child.disconnect();
        await ended;
      }
    },
  };
}
