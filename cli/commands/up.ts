import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { createSmtpSender, openModbusLink } from '../../agents/drivers/index.js';
import { type HttpServer, openHttpServer } from '../../coordinator/index.js';
import { openTransport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { type Config, loadConfig } from '../../shared/config.js';
import { HermesError } from '../../shared/errors.js';
import { envKeyProvider, fileKeyProvider } from '../../shared/keys/index.js';
import { systemRandom } from '../../shared/random.js';
import type { Site } from '../../shared/site.js';
import { openMetrics } from '../../shared/telemetry/metrics.js';
import { type Simulators, startSimulators } from '../../simulators/index.js';
import {
  assembleSite,
  createAddressResolver,
  intakeOf,
  loadAgents,
  loadTopology,
  type RunningSite,
  simulatedDevices,
  simulatedLinks,
  siteOf,
  type Topology,
} from '../../topology/index.js';
import { openLogger } from '../logging.js';
import { print } from '../output.js';
import { demoSite, pageDir } from '../paths.js';
import { openTelemetry } from '../telemetry.js';
import { untilStopped } from '../until-stopped.js';

interface Options {
  readonly simulators: boolean;
  readonly port?: string;
  readonly simPort?: string;
  readonly dataDir?: string;
}

/** `hermes up [topology]`: a whole site in one process: simulated devices, agents, coordinator, page. */
export function upCommand(): Command {
  return new Command('up')
    .description('bring up a site: devices, agents, coordinator, page')
    .argument('[topology]', 'site file; default: the demo site')
    .option('--no-simulators', 'the devices are elsewhere')
    .option('--port <port>', 'port of the HTTP side')
    .option('--sim-port <port>', 'port of the simulators’ control endpoint')
    .option('--data-dir <folder>', 'where the record is kept')
    .action(async (file: string | undefined, options: Options) => {
      const flags = { topology: file, http_port: options.port, sim_port: options.simPort, data_dir: options.dataDir };
      const { values } = loadConfig(flags);
      const running = await bringUp(values, options.simulators);
      print(banner(running, values));
      await untilStopped(() => running.stop());
    });
}

interface Running {
  readonly topology: Topology;
  readonly http: HttpServer;
  readonly simulators?: Simulators;
  stop(): Promise<void>;
}

async function bringUp(values: Config, withSimulators: boolean): Promise<Running> {
  const clock = systemClock();
  const random = systemRandom();
  const logger = openLogger(values.log_level);
  const telemetry = openTelemetry(values);
  const metrics = openMetrics();
  const described = loadTopology(values.topology ?? demoSite());
  const topology: Topology = { ...described, tenant: values.tenant ?? described.tenant };
  const site = siteOf(topology);
  const dataDir = resolve(values.data_dir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });

  const opened: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const transport = await openTransport('embedded', { dataDir, clock, random, logger, metrics });
    opened.push(() => transport.close());
    const keys = values.master_key
      ? envKeyProvider(values.master_key, random)
      : fileKeyProvider(join(dataDir, 'keys', 'master.key'), random, { create: true });
    const simulators = withSimulators ? await simulate(topology, values, { clock, random, logger }) : undefined;
    if (simulators) opened.push(() => simulators.stop());
    const simUrl = simulators?.controlUrl ?? values.sim_url ?? `http://127.0.0.1:${values.sim_port}`;
    const address = createAddressResolver(clock, simUrl);
    const resolveLink = (link: string) => address(addressOf(site, link));
    const mail = createSmtpSender({ resolve: () => address(site.channels.email?.url ?? 'sim:smtp') });
    const running: RunningSite = await assembleSite(
      topology,
      site,
      {
        connect: () => transport,
        clock,
        random,
        keys,
        logger,
        metrics,
        openLink: (link) =>
          openModbusLink({ clock, random, logger, metrics, resolve: () => resolveLink(link) }, { link }),
        mail,
      },
      await loadAgents(topology),
    );
    opened.push(() => running.stop());
    const { coordinator, journal } = running;
    const expected = topology.agents.map((agent) => agent.name);
    const http = await openHttpServer(
      {
        coordinator,
        intake: intakeOf(running),
        journal,
        site,
        clock,
        logger,
        resolveLink,
        expected,
        pageDir: pageDir(),
        metricsText: telemetry.metricsText,
      },
      { host: values.http_host, port: values.http_port },
    );
    opened.push(() => http.close());
    return { topology, http, ...(simulators ? { simulators } : {}), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function addressOf(site: Site, link: string): string {
  const found = site.links.find((candidate) => candidate.id === link);
  if (found) return found.address;
  throw new HermesError('not_found', `the site has no link ${link}`);
}

type Doors = Pick<Parameters<typeof startSimulators>[0], 'clock' | 'random' | 'logger'>;

const simulate = (topology: Topology, values: Config, doors: Doors): Promise<Simulators> =>
  startSimulators({
    ...doors,
    devices: simulatedDevices(topology),
    links: simulatedLinks(topology),
    controlPort: values.sim_port,
  });

function banner({ topology, http, simulators }: Running, values: Config): string {
  const goal = '查PLC-007状态，如果离线，重启它并通知张工';
  const agents = topology.agents.map((agent) => agent.name).join(', ');
  const where = simulators ? `, simulated; faults, mail, frames: ${simulators.controlUrl}/sim` : '';
  return [
    `Hermes network is up: ${topology.site.name.en} (${topology.site.name.zh})`,
    `  page     ${http.url}`,
    `  API      ${http.url}/docs`,
    `  agents   production_coordinator, ${agents}`,
    `  devices  ${topology.devices.length}${where}`,
    `  record   ${resolve(values.data_dir)}`,
    '  access   no authentication: this machine only, everybody here is its administrator',
    '',
    'Try a goal, on the page or here:',
    `  curl -s -X POST '${http.url}/v1/goals?wait=30000' -H 'content-type: application/json' -d '{"goal":"${goal}"}'`,
  ].join('\n');
}
