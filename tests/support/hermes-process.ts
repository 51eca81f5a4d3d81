import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A real Hermes process of the command line, with what it prints. */
export interface HermesProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly output: () => string;
  /** Exit code, or the signal's name. */
  readonly exited: Promise<number | string>;
  /** The first match of a pattern in what was printed. @throws when it exits or the time is over before. */
  find(pattern: RegExp, ms?: number): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): Promise<number | string>;
}

/** Starts `hermes …` from sources: this checkout's, or those of another one. */
export function startHermes(
  args: readonly string[],
  environment: Record<string, string> = {},
  checkout = root,
): HermesProcess {
  return startProgram([process.execPath, '--import', 'tsx', 'cli/main.ts', ...args], environment, checkout);
}

/** Starts a program in a folder, with nothing of this process's environment but the paths. */
export function startProgram(
  [program = '', ...args]: readonly string[],
  environment: Record<string, string>,
  cwd: string,
): HermesProcess {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', HERMES_LOG_LEVEL: 'error', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const listeners = new Set<() => void>();
  const take = (chunk: Buffer): void => {
    printed += chunk.toString('utf8');
    for (const heard of listeners) heard();
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  const exited = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      resolve(signal ?? code ?? 0);
      for (const heard of listeners) heard();
    });
  });
  let over = false;
  void exited.then(() => {
    over = true;
  });
  return {
    child,
    pid: child.pid ?? 0,
    output: () => printed,
    exited,
    find: (pattern, ms = 30_000) =>
      new Promise((resolve, reject) => {
        const finish = (): void => {
          clearTimeout(timer);
          listeners.delete(look);
        };
        const look = (): void => {
          const match = pattern.exec(printed);
          if (match) {
            finish();
            resolve(match);
          } else if (over) {
            finish();
            reject(new Error(`the process ended without ${pattern}:\n${printed}`));
          }
        };
        const timer = setTimeout(() => {
          finish();
          reject(new Error(`nothing like ${pattern} within ${ms} ms:\n${printed}`));
        }, ms);
        listeners.add(look);
        look();
      }),
    async kill(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
