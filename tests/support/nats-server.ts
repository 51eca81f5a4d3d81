import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/clock.js';

/** One nats-server with JetStream on a free port and a private directory. */
export interface NatsServer {
  /** Its name in a cluster. */
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** What it said so far. */
  readonly output: () => string;
  /** SIGKILL by default; its files stay. */
  stop(signal?: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Again on the same port over the same files. */
  start(): Promise<void>;
  /** Takes another configuration while it runs (SIGHUP): the answer is in its output. */
  reload(config: Required<NatsServerOptions>['config']): Promise<void>;
  /** Stops it and removes its files. */
  close(): Promise<void>;
}

export interface NatsServerOptions {
  /** The whole configuration; default: no authentication, JetStream on. */
  readonly config?: (place: { readonly listen: string; readonly storeDir: string }) => string;
}

const READY_MS = 20_000;

export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

export async function startNatsServer({ config = open }: NatsServerOptions = {}): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-nats-'));
  const port = await freePort();
  const file = join(folder, 'server.conf');
  await writeFile(file, config({ listen: `127.0.0.1:${port}`, storeDir: join(folder, 'store') }));
  return runServer({ name: 'single', folder, port, file });
}

const open = ({ listen, storeDir }: { readonly listen: string; readonly storeDir: string }): string =>
  `listen: "${listen}"\njetstream: {\n  store_dir: "${storeDir}"\n}\n`;

/** Three servers that hold JetStream together, each stopped and started by itself. */
export async function startNatsCluster(): Promise<readonly NatsServer[]> {
  const names = ['n1', 'n2', 'n3'];
  const ports = await Promise.all(names.map(() => freePort()));
  const routes = await Promise.all(names.map(() => freePort()));
  const list = routes.map((port) => `"nats-route://127.0.0.1:${port}"`).join(', ');
  return Promise.all(
    names.map(async (name, at) => {
      const folder = await mkdtemp(join(tmpdir(), `hermes-nats-${name}-`));
      const file = join(folder, 'server.conf');
      const port = ports[at] ?? 0;
      const lines = [
        `server_name: ${name}`,
        `listen: "127.0.0.1:${port}"`,
        `jetstream {\n  store_dir: "${folder}/store"\n}`,
        `cluster {\n  name: hermes\n  listen: "127.0.0.1:${routes[at]}"\n  routes: [${list}]\n}`,
      ];
      await writeFile(file, `${lines.join('\n')}\n`);
      return runServer({ name, folder, port, file });
    }),
  );
}

interface Place {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly file: string;
}

async function runServer({ name, folder, port, file }: Place): Promise<NatsServer> {
  let child: ChildProcess | undefined;
  let said = '';
  const server: NatsServer = {
    name,
    url: `nats://127.0.0.1:${port}`,
    get pid() {
      return child?.pid ?? 0;
    },
    output: () => said,
    async start() {
      const started = spawn('nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
      child = started;
      started.stderr.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-20_000);
      });
      let failed: Error | undefined;
      started.once('error', (error) => {
        failed = error;
      });
      const clock = systemClock();
      const until = clock.monotonic() + READY_MS;
      while (!(await accepts(port))) {
        if (failed) throw failed;
        if (started.exitCode !== null || clock.monotonic() > until)
          throw new Error(`nats-server did not start: ${said}`);
        await clock.sleep(20);
      }
    },
    async stop(signal = 'SIGKILL') {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      if (signal === 'SIGSTOP' || signal === 'SIGCONT') {
        child.kill(signal);
        return;
      }
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
    async reload(config) {
      await writeFile(file, config({ listen: `127.0.0.1:${port}`, storeDir: join(folder, 'store') }));
      child?.kill('SIGHUP');
    },
    async close() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

async function accepts(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
