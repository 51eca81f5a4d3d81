import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';

/** A nats-server of the bench's own. */
export interface Broker {
  readonly url: string;
  /** Has the journal's stream capture everything, or not. */
  journal(on: boolean): Promise<void>;
  stop(): Promise<void>;
}

const STREAM = 'BENCH_JOURNAL';
const CAPTURED = ['hermes.*.call.>', 'hermes.*.direct.>', 'hermes.*.reply.>', 'hermes.*.event.>'];

export async function startBroker(): Promise<Broker> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-bench-nats-'));
  const port = await freePort();
  const file = join(folder, 'server.conf');
  await writeFile(file, `listen: "127.0.0.1:${port}"\njetstream {\n  store_dir: "${folder}/store"\n}\n`);
  const child = spawn('nats-server', ['-c', file], { stdio: 'ignore' });
  const url = `nats://127.0.0.1:${port}`;
  const connection = await connected(url);
  return {
    url,
    async journal(on) {
      const manager = await jetstreamManager(connection);
      if (on) {
        await manager.streams.add({ name: STREAM, subjects: CAPTURED, no_ack: true, max_bytes: 512 * 1_048_576 });
      } else {
        await manager.streams.delete(STREAM);
      }
    },
    async stop() {
      await connection.close();
      child.kill('SIGKILL');
      await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function connected(url: string): Promise<NatsConnection> {
  for (let tries = 1; ; tries++) {
    try {
      return await connect({ servers: url, maxReconnectAttempts: 0 });
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
