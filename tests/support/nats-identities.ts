import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { initNatsStreams, openTransport, type Transport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { systemRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { type NatsSeeds, type NatsTenant, natsConfig } from '../../topology/index.js';
import { type NatsServer, startNatsServer } from './nats-server.js';
import { recordingLogger } from './transport-harness.js';
import { natsOptions } from './transport-nats.js';

/** A server that knows identities, with the streams of its tenants, and connections as any of them. */
export interface IdentityBench {
  readonly server: NatsServer;
  readonly seeds: NatsSeeds;
  /** As the product connects. */
  open(tenant: string, name: string): Promise<{ readonly transport: Transport; readonly faults: string[] }>;
  /** As an attacker who has that member's seed and a client of his own. */
  raw(tenant: string, name: string): Promise<RawIdentity>;
  close(): Promise<void>;
}

export interface RawIdentity {
  readonly connection: NatsConnection;
  /** What the server refused so far: `publish subject`. */
  readonly refused: string[];
}

export async function identityBench(tenants: readonly NatsTenant[]): Promise<IdentityBench> {
  let seeds: NatsSeeds = new Map();
  const server = await startNatsServer({
    config(place) {
      const made = natsConfig(tenants, place);
      seeds = made.seeds;
      return made.text;
    },
  });
  const seedOf = (tenant: string, name: string): string => seeds.get(tenant)?.get(name) ?? '';
  const doors = { clock: systemClock(), random: systemRandom(), logger: silentLogger() };
  for (const { tenant } of tenants)
    await initNatsStreams({ url: server.url, tenant, nkeySeed: seedOf(tenant, 'ops'), ...doors });
  const closing: (() => Promise<void>)[] = [];
  return {
    server,
    get seeds() {
      return seeds;
    },
    async open(tenant, name) {
      const faults: string[] = [];
      const { options, cleanUp } = await natsOptions(server.url, {
        tenant,
        component: name,
        nkeySeed: seedOf(tenant, name),
        logger: recordingLogger([]),
        metrics: {
          count: (metric, labels) => void (metric === 'busFaults' && faults.push(labels?.kind ?? '')),
          measure: () => undefined,
        },
      });
      const transport = await openTransport('nats', options);
      closing.push(async () => {
        await transport.close();
        await cleanUp();
      });
      return { transport, faults };
    },
    async raw(tenant, name) {
      const connection = await connect({
        servers: server.url,
        inboxPrefix: `_INBOX.${name}`,
        timeout: 2_000,
        authenticator: nkeyAuthenticator(new TextEncoder().encode(seedOf(tenant, name))),
      });
      const refused: string[] = [];
      void (async () => {
        for await (const status of connection.status()) {
          if (status.type !== 'error') continue;
          const { error } = status as { error: Error & { operation?: string; subject?: string } };
          refused.push(`${error.operation} ${error.subject}`);
        }
      })();
      closing.push(() => connection.close());
      return { connection, refused };
    },
    async close() {
      for (const close of closing.splice(0)) await close();
      await server.close();
    },
  };
}
