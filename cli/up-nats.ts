import { join } from 'node:path';
import { COORDINATOR } from '../coordinator/index.js';
import { lockDataDir } from '../mcp/transport/index.js';
import { HermesError, toHermesError } from '../shared/errors.js';
import { type NatsServer, opening, startNatsServer } from '../topology/index.js';
import type { Announcement } from './announce.js';
import { banner } from './banner.js';
import { openMasterKey } from './master-key.js';
import { childOfUs } from './process-children.js';
import { type SiteProcess, simUrlOf } from './site-process.js';
import { startSiteSimulators } from './site-simulators.js';
import { type Supervised, supervise } from './supervise.js';
import { admissionOf, toolsLine } from './tools-mode.js';
import type { UpSite } from './up-embedded.js';

export interface UpNatsWish {
  readonly simulators: boolean;
  /** Servers that run already; none: one is started with its store in the data folder. */
  readonly url?: string;
}

const NATS_PORT = 4222;
const READY_MS = 90_000;

/**
 * A site as many processes: each agent, as often as its row says, and the coordinator, all supervised; the simulated
 * devices in this one. Resolves when the coordinator serves and every agent has said that it is there.
 */
export function upNats(own: SiteProcess, wish: UpNatsWish): Promise<UpSite> {
  const { values, topology, topologyFile, dataDir, clock, logger } = own;
  return opening(logger, async (opened) => {
    const lock = await lockDataDir(dataDir);
    opened.keep(() => lock.release());
    const simulators = wish.simulators ? await startSiteSimulators(own) : undefined;
    if (simulators) opened.keep(() => simulators.stop());
    const simUrl = simulators?.controlUrl ?? simUrlOf(values);
    const nats = wish.url === undefined ? await superviseNats(own) : undefined;
    if (nats) opened.keep(() => nats.supervised.stop());
    const url = wish.url ?? (nats?.url as string);
    // Before several processes look for it at once.
    await openMasterKey(values, dataDir, own.random, { create: true });

    const shared = ['--nats', url, '--topology', topologyFile, '--data-dir', dataDir, '--sim-url', simUrl];
    const processes = new Map<string, Supervised>();
    opened.keep(async () => {
      // The one that hands out work first: nothing is called that is about to leave.
      await processes.get(COORDINATOR)?.stop();
      await Promise.all([...processes.values()].map((one) => one.stop()));
    });
    const run = (key: string, name: string, args: () => readonly string[]): Promise<Announcement> =>
      new Promise((resolve, reject) => {
        const late = clock.timer(READY_MS, () => reject(notUp(name, `was not there within ${READY_MS / 1_000} s`)));
        const one = supervise(clock, {
          name,
          start: () =>
            childOfUs([...args(), ...shared], (ready) => {
              say(`${name.padEnd(WIDTH)} pid ${String(one.pid).padEnd(8)} ${ready.instances.join(', ')}`);
              late();
              resolve(ready);
            }),
          say,
          remedy: `hermes ${args().join(' ')} ${shared.join(' ')}`,
          onFailed: () => reject(notUp(name, 'has failed')),
        });
        processes.set(key, one);
      });
    const { health_port: health, http_port } = values;
    const agents = topology.agents.flatMap(({ name, instances }) => Array.from({ length: instances }, () => name));
    // A free port that was found is kept when the coordinator is started again.
    let port = http_port;
    const serving = run(COORDINATOR, COORDINATOR, () => ['coordinator', '--port', String(port)]).then(
      ({ url: at = '' }) => {
        port = Number(new URL(at).port);
        return at;
      },
    );
    const [page] = await Promise.all([
      serving,
      ...agents.map((name, index) => {
        const own = health === undefined ? [] : ['--health-port', String(health === 0 ? 0 : health + index)];
        return run(`${name}/${index}`, name, () => ['agent', name, '--instances', '1', ...own]);
      }),
    ]);
    const facts = { topology, page: page ?? '', dataDir, ...(simulators ? { simUrl } : {}) };
    const lines = [
      `  network  ${url}${nats ? `, nats-server pid ${nats.supervised.pid}, store ${nats.dir}` : ''}`,
      `  another  npx hermes agent ${topology.agents[0]?.name} --nats ${url} --sim-url ${simUrl} --data-dir ${dataDir}`,
      ...toolsLine(admissionOf({ ...values, nats_url: url }, dataDir, logger)),
    ];
    return { banner: banner({ ...facts, lines }), stop: opened.close };
  });
}

const WIDTH = 28;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const notUp = (name: string, what: string): HermesError =>
  new HermesError('not_ready', `${name} ${what}`, {
    suggestion: 'what it said stands above; HERMES_LOG_LEVEL=info says more',
  });

/** The usual port if it is free; beside a page on a free port, as tests have it, a free one, too. */
async function startOnUsualPort(dir: string, { values, logger }: SiteProcess): Promise<NatsServer> {
  if (values.http_port === 0) return startNatsServer({ dir });
  try {
    return await startNatsServer({ dir, port: NATS_PORT });
  } catch (thrown) {
    const error = toHermesError(thrown);
    if (error.reason !== 'not_ready') throw thrown;
    logger.info({ detail: error.message }, 'the usual port of NATS is taken; another is used');
    return startNatsServer({ dir });
  }
}

/** Our nats-server, started again on the same port and store when it ends. */
async function superviseNats(own: SiteProcess) {
  const { clock, dataDir } = own;
  const dir = join(dataDir, 'nats');
  const first = await startOnUsualPort(dir, own);
  let next: typeof first | undefined = first;
  const supervised = supervise(clock, {
    name: 'nats-server',
    async start() {
      const server = next ?? (await startNatsServer({ dir, port: first.port }));
      next = undefined;
      say(`${'nats-server'.padEnd(WIDTH)} pid ${String(server.pid).padEnd(8)} ${server.url}`);
      return { ...server, kill: (signal) => void process.kill(server.pid, signal) };
    },
    say,
    remedy: `see ${join(dir, 'nats-server.log')}, then start the site again`,
  });
  return { url: first.url, dir, supervised };
}
