import { join } from 'node:path';
import { COORDINATOR } from '../coordinator/index.js';
import { lockDataDir } from '../mcp/transport/index.js';
import { HermesError } from '../shared/errors.js';
import { opening, startNatsServer } from '../topology/index.js';
import type { Announcement } from './announce.js';
import { banner } from './banner.js';
import { childOfUs } from './process-children.js';
import { equip, natsDoors, type SiteProcess, simUrlOf } from './site-process.js';
import { startSiteSimulators } from './site-simulators.js';
import { type Supervised, supervise } from './supervise.js';
import type { UpSite } from './up-embedded.js';

export interface UpNatsWish {
  readonly simulators: boolean;
  /** Servers that run already; none: one is started with its store in the data folder. */
  readonly url?: string;
}

const READY_MS = 90_000;

/**
 * A site as many processes: each agent, as often as its row says, and the coordinator, all supervised; simulated devices
 * in this one. Resolves when the coordinator serves and every agent has said that it is there.
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
    equip(own, natsDoors(own, url), simUrl); // makes the master key before several processes look for it

    const shared = ['--nats', url, '--topology', topologyFile, '--data-dir', dataDir, '--sim-url', simUrl];
    const processes = new Map<string, Supervised>();
    opened.keep(async () => {
      // The one that hands out work first: nothing is called that is about to leave.
      await processes.get(COORDINATOR)?.stop();
      await Promise.all([...processes.values()].map((one) => one.stop()));
    });
    const run = (key: string, name: string, args: readonly string[]): Promise<Announcement> =>
      new Promise((resolve, reject) => {
        const giveUp = (): void => reject(notUp(name));
        const late = clock.timer(READY_MS, giveUp);
        const one = supervise(clock, {
          name,
          start: () =>
            childOfUs([...args, ...shared], (ready) => {
              say(`${name.padEnd(WIDTH)} pid ${String(one.pid).padEnd(8)} ${ready.instances.join(', ')}`);
              late();
              resolve(ready);
            }),
          say,
          remedy: `hermes ${args.join(' ')} ${shared.join(' ')}`,
          onFailed: giveUp,
        });
        processes.set(key, one);
      });
    const { health_port: health, http_port } = values;
    const agents = topology.agents.flatMap(({ name, instances }) => Array.from({ length: instances }, () => name));
    const [serving] = await Promise.all([
      run(COORDINATOR, COORDINATOR, ['coordinator', '--port', String(http_port)]),
      ...agents.map((name, index) => {
        const port = health === undefined ? [] : ['--health-port', String(health === 0 ? 0 : health + index)];
        return run(`${name}/${index}`, name, ['agent', name, '--instances', '1', ...port]);
      }),
    ]);
    const facts = { topology, page: serving?.url ?? '', dataDir, ...(simulators ? { simUrl } : {}) };
    const lines = [
      `  network  ${url}${nats ? `, nats-server pid ${nats.supervised.pid}, store ${nats.dir}` : ''}`,
      `  another  npx hermes agent ${topology.agents[0]?.name} --nats ${url} --sim-url ${simUrl} --data-dir ${dataDir}`,
    ];
    return { banner: banner({ ...facts, lines }), stop: opened.close };
  });
}

const WIDTH = 28;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const notUp = (name: string): HermesError =>
  new HermesError('not_ready', `${name} was not there within ${READY_MS / 1_000} s`, {
    suggestion: 'what it said stands above; HERMES_LOG_LEVEL=info says more',
  });

/** Our nats-server, started again on the same port and store when it ends. */
async function superviseNats({ clock, dataDir }: SiteProcess) {
  const dir = join(dataDir, 'nats');
  const first = await startNatsServer({ dir });
  say(`${'nats-server'.padEnd(WIDTH)} pid ${String(first.pid).padEnd(8)} ${first.url}`);
  let next: typeof first | undefined = first;
  const supervised = supervise(clock, {
    name: 'nats-server',
    async start() {
      const server = next ?? (await startNatsServer({ dir, port: first.port }));
      next = undefined;
      return { ...server, kill: (signal) => void process.kill(server.pid, signal) };
    },
    say,
    remedy: `see ${join(dir, 'nats-server.log')}, then start the site again`,
  });
  return { url: first.url, dir, supervised };
}
