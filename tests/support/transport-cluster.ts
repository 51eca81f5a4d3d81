import type { AppendOptions, Log, LogRecord } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import { type NatsServer, startNatsCluster } from './nats-server.js';
import { leaderOf } from './nats-streams.js';
import type { TransportFactory } from './transport-harness.js';
import { openHarness } from './transport-nats.js';

const clock = systemClock();
/** An election takes four to seven seconds, and a server that comes back may begin another. */
const ELECTION_MS = 25_000;
/** Rides over an election. */
const TTL_MS = 5_000;
const RENEW_MS = 1_000;
/** Every so many tests the leader is killed in the middle of one. */
const EVERY = 5;
const INTO_THE_TEST_MS = 30;
const AWAY_MS = 1_000;

/**
 * On three real servers, every stream on all three. The suites run while leaders die by SIGKILL; each harness is a
 * tenant of its own, whose log's leader is the victim.
 * @param kills false for the bus: what a dead server held in its hands is lost, which is what "at most once" says.
 */
export function clusterFactory({ kills }: { readonly kills: boolean }): TransportFactory {
  let cluster: Promise<readonly NatsServer[]> | undefined;
  let tenants = 0;
  return {
    name: kills ? 'nats cluster, leaders killed' : 'nats cluster',
    virtual: false,
    async open() {
      cluster ??= startNatsCluster();
      const servers = await cluster;
      const url = servers.map((server) => server.url).join(',');
      const tenant = `t${tenants++}`;
      const options = { replicas: 3, ttlMs: TTL_MS, renewMs: RENEW_MS };
      const harness = await sure(() => openHarness(url, tenant, options, patientLog));
      const killed = kills && tenants % EVERY === 2 ? killLeader(servers, `HERMES_LOG_${tenant}`) : undefined;
      killed?.catch(() => undefined);
      // Not a spread, which would read the getters once.
      return Object.assign(Object.create(harness) as Harness, {
        async close() {
          await killed;
          await harness.close();
        },
      });
    },
    async end() {
      const servers = await cluster;
      cluster = undefined;
      for (const server of servers ?? []) await server.close();
    },
  };
}

type Harness = Awaited<ReturnType<typeof openHarness>>;

/** @throws Error when the stream has no leader: then nothing was tested. */
async function killLeader(servers: readonly NatsServer[], stream: string): Promise<void> {
  const alive = servers.map((server) => server.url).join(',');
  const name = await leaderOf(alive, stream);
  const leader = servers.find((server) => server.name === name);
  if (!leader) throw new Error(`${stream} has no leader`);
  await clock.sleep(INTO_THE_TEST_MS);
  await leader.stop('SIGKILL');
  await clock.sleep(AWAY_MS);
  await leader.start();
}

/** Asks again while an election is under way. */
async function sure<T>(work: (again: boolean) => Promise<T>): Promise<T> {
  const until = clock.monotonic() + ELECTION_MS;
  for (let again = false; ; again = true) {
    try {
      return await work(again);
    } catch (thrown) {
      const isElection = thrown instanceof HermesError && thrown.reason === 'log_unavailable';
      if (!isElection || clock.monotonic() > until) throw thrown;
      await clock.sleep(50);
    }
  }
}

/**
 * The log as the record uses it: an append whose outcome is unknown is asked again under its message id, a read is
 * read again from its beginning.
 */
function patientLog(log: Log): Log {
  let made = 0;
  const append = async (subject: string, payload: Uint8Array, options: AppendOptions = {}) => {
    const own = { ...options, messageId: options.messageId ?? `patient-${made++}-${clock.monotonic()}` };
    const body = new Uint8Array(payload);
    return sure(async (again) => {
      const { seq, duplicate } = await log.append(subject, body, own);
      return { seq, duplicate: duplicate && !again };
    });
  };
  async function* read(...asked: Parameters<Log['read']>): AsyncGenerator<LogRecord> {
    const records = await sure(async () => {
      const found: LogRecord[] = [];
      for await (const record of log.read(...asked)) found.push(record);
      return found;
    });
    yield* records;
  }
  return {
    append,
    read,
    last: (subject) => sure(() => log.last(subject)),
    tail: (...asked) => log.tail(...asked),
    headSeq: (pattern) => sure(() => log.headSeq(pattern)),
    close: () => log.close(),
  };
}
