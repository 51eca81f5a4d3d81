import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A script of tests/support in a process of its own. */
export interface TransportChild {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Complete lines printed so far. */
  readonly lines: readonly string[];
  /** Resolves when that many lines are there; rejects when it ends before. */
  printed(count: number): Promise<void>;
  kill(): Promise<void>;
}

export function startChild(script: string, args: readonly string[]): TransportChild {
  const file = fileURLToPath(new URL(`./${script}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let over = false;
  const reader = createInterface({ input: child.stdout });
  const wake = (): void => {
    for (const run of [...waiting]) run();
  };
  reader.on('line', (line) => {
    lines.push(line);
    wake();
  });
  const closed = once(reader, 'close').then(() => {
    over = true;
    wake();
  });
  return {
    process: child,
    pid: child.pid ?? 0,
    lines,
    printed: (count) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (lines.length >= count) resolve();
          else if (over) reject(new Error(`the child ended after ${lines.length} lines`));
          else return;
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
    async kill() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      await closed;
    },
  };
}
