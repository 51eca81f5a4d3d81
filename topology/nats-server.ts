import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { systemClock } from '../shared/clock.js';
import { HermesError } from '../shared/errors.js';
import { type Child, startChild } from './child-process.js';

/** A nats-server with JetStream that this process started, on loopback, without authentication. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly exited: Promise<number | string>;
  /** SIGTERM, then SIGKILL after 10 s. The store stays. */
  stop(): Promise<void>;
}

export interface NatsServerOptions {
  /** Its store, log and pid file. */
  readonly dir: string;
  /** Default: a free one. */
  readonly port?: number;
}

const READY_MS = 15_000;
const STOP_MS = 10_000;
const LOOK_MS = 20;
const LOG_BYTES = 10_000_000;
/** Debian puts it where only root's PATH looks. */
const PROGRAMS = ['nats-server', '/usr/sbin/nats-server'];
const portsSchema = z.object({ nats: z.array(z.string()).min(1) });

/**
 * Starts a nats-server and waits until it takes connections. One that an earlier life left behind on the same store is
 * ended first. @throws HermesError `not_found` saying what to install; `not_ready` with the end of its log.
 */
export async function startNatsServer({ dir: given, port }: NatsServerOptions): Promise<NatsServer> {
  const dir = resolve(given);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  await endLeftOver(dir);
  const child = await start([
    ...['--addr', '127.0.0.1', '--port', String(port ?? -1), '--ports_file_dir', dir],
    ...['--jetstream', '--store_dir', dir, '--pid', pidFile(dir)],
    ...['--log', logFile(dir), '--log_size_limit', String(LOG_BYTES)],
  ]);
  const url = await ready(dir, child);
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid,
    exited: child.exited,
    stop: () => end(child.exited, (signal) => child.kill(signal)),
  };
}

const pidFile = (dir: string): string => join(dir, 'nats-server.pid');
const logFile = (dir: string): string => join(dir, 'nats-server.log');

async function start(args: readonly string[]): Promise<Child> {
  for (const command of PROGRAMS) {
    try {
      return await startChild({ command, args });
    } catch (thrown) {
      if (!(thrown instanceof HermesError) || thrown.reason !== 'not_found') throw thrown;
    }
  }
  throw new HermesError('not_found', 'nats-server is not on the PATH', {
    suggestion:
      'install it (Debian: apt-get install nats-server; macOS: brew install nats-server), ' +
      'or name one that runs: --nats nats://host:4222',
  });
}

/** It writes where it listens when it takes connections. */
async function ready(dir: string, child: Child): Promise<string> {
  const clock = systemClock();
  const until = clock.monotonic() + READY_MS;
  const path = join(dir, `nats-server_${child.pid}.ports`);
  let exit: number | string | undefined;
  void child.exited.then((how) => {
    exit = how;
    rmSync(path, { force: true });
  });
  while (exit === undefined && clock.monotonic() < until) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    if (text.endsWith('}')) return portsSchema.parse(JSON.parse(text)).nats[0] as string;
    await clock.sleep(LOOK_MS);
  }
  child.kill('SIGKILL');
  const what = exit === undefined ? `did not listen within ${READY_MS / 1_000} s` : `ended with ${exit}`;
  const log = existsSync(logFile(dir))
    ? readFileSync(logFile(dir), 'utf8').trim().split('\n').slice(-3).join(' | ')
    : '';
  throw new HermesError('not_ready', `nats-server ${what}: ${log || 'it logged nothing'}`, {
    suggestion: `see ${logFile(dir)}; does it know JetStream (2.9 or later)?`,
  });
}

async function end(exited: Promise<unknown>, kill: (signal: 'SIGTERM' | 'SIGKILL') => void): Promise<void> {
  const clock = systemClock();
  const cancel = clock.timer(STOP_MS, () => kill('SIGKILL'));
  kill('SIGTERM');
  await exited;
  cancel();
}

/** Two servers on one store would ruin it. Only one whose command line names the store is ours. */
async function endLeftOver(dir: string): Promise<void> {
  const pid = existsSync(pidFile(dir)) ? Number(readFileSync(pidFile(dir), 'utf8')) : 0;
  if (!Number.isSafeInteger(pid) || pid <= 1 || !servesFrom(pid, dir)) return;
  const clock = systemClock();
  const gone = async (): Promise<void> => {
    while (servesFrom(pid, dir)) await clock.sleep(LOOK_MS);
  };
  await end(gone(), (signal) => process.kill(pid, signal));
}

function servesFrom(pid: number, dir: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(dir);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return false;
    throw error;
  }
}
