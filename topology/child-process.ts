import { spawn } from 'node:child_process';
import { HermesError } from '../shared/errors.js';

/** A program that this process started. */
export interface Child {
  readonly pid: number;
  /** Exit code, or the name of the signal that ended it. */
  readonly exited: Promise<number | string>;
  /** What it told over its channel, one message at a time, from the first on. */
  onMessage(hear: (message: unknown) => void): void;
  /** Tells the child something over its channel. */
  send(message: unknown): void;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** A Node process with a channel to us, which closes with us, and our standard error. Default false: silent. */
  readonly channel?: boolean;
  /** Default: this process' environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts a program in a process group of its own: Ctrl-C reaches us alone, and we end
 * it in order. @throws HermesError `not_found` when there is no such program.
 */
export async function startChild({ command, args, channel = false, env }: ChildOptions): Promise<Child> {
  const child = spawn(command, args, {
    stdio: channel ? ['ignore', 'ignore', 'inherit', 'ipc'] : 'ignore',
    detached: true,
    ...(env ? { env } : {}),
  });
  const exited = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 0));
  });
  // Whoever has a channel hears of our end; the others are ended with us, unless we are killed.
  const endWithUs = (): void => void child.kill('SIGKILL');
  if (!channel) process.once('exit', endWithUs);
  void exited.then(() => process.off('exit', endWithUs));
  const heard: unknown[] = [];
  const listeners = new Set<(message: unknown) => void>();
  child.on('message', (message) => {
    heard.push(message);
    for (const hear of listeners) hear(message);
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => {
      const why = (cause as { code?: string }).code === 'ENOENT' ? 'is not on the PATH' : cause.message;
      reject(new HermesError('not_found', `${command} cannot be started: it ${why}`, {}, { cause }));
    });
  });
  return {
    pid: child.pid as number,
    exited,
    onMessage(hear) {
      for (const message of heard) hear(message);
      listeners.add(hear);
    },
    send: (message) => void child.send(message as object),
    kill: (signal) => void child.kill(signal),
  };
}
