import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createSmtpSender, openModbusLink } from '../agents/drivers/index.js';
import { openTransport, type Transport } from '../mcp/transport/index.js';
import { type Clock, systemClock } from '../shared/clock.js';
import type { Config } from '../shared/config.js';
import type { LinkAddress } from '../shared/device.js';
import { HermesError, invalidParams } from '../shared/errors.js';
import { fileSigningKey } from '../shared/keys/index.js';
import { type Random, systemRandom } from '../shared/random.js';
import type { Site } from '../shared/site.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { type Metrics, openMetrics } from '../shared/telemetry/metrics.js';
import { createAddressResolver, loadTopology, type SiteDoors, siteOf, type Topology } from '../topology/index.js';
import { openLogger } from './logging.js';
import { openMasterKey } from './master-key.js';
import { demoSite } from './paths.js';
import { openTelemetry, type Telemetry } from './telemetry.js';
import { admissionOf } from './tools-mode.js';

/** What every process of a site is made of, by its configuration; nothing is open yet. */
export interface SiteProcess {
  readonly values: Config;
  readonly topologyFile: string;
  readonly topology: Topology;
  readonly site: Site;
  /** Absolute, and there. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
}

/** The site file that is configured. @throws HermesError `invalid_params` with every fault of it. */
export function siteFile(values: Config): Pick<SiteProcess, 'topology' | 'topologyFile'> {
  const topologyFile = resolve(values.topology ?? demoSite());
  const described = loadTopology(topologyFile);
  return { topologyFile, topology: { ...described, tenant: values.tenant ?? described.tenant } };
}

/** @throws HermesError `invalid_params` with every fault of the site file. */
export function openSiteProcess(values: Config): SiteProcess {
  const { topology, topologyFile } = siteFile(values);
  const dataDir = resolve(values.data_dir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Before the first metric is made: one that is older has no reader.
  const telemetry = openTelemetry(values);
  return {
    values,
    topologyFile,
    topology,
    site: siteOf(topology),
    dataDir,
    clock: systemClock(),
    random: systemRandom(),
    logger: openLogger(values.log_level),
    metrics: openMetrics(),
    telemetry,
  };
}

/** Where the simulators' control endpoint is, unless this process runs them itself. */
export const simUrlOf = ({ sim_url, sim_port }: Config): string => sim_url ?? `http://127.0.0.1:${sim_port}`;

export interface SiteEquipment {
  readonly doors: SiteDoors;
  readonly resolveLink: (link: string) => Promise<LinkAddress>;
}

/**
 * Master key, devices and mail of this process, over transports that are handed in. The first run of a site makes its
 * master key; a process that makes another one than the record was sealed under is refused when it opens the record.
 */
export async function equip(
  { values, site, dataDir, clock, random, logger, metrics }: SiteProcess,
  transports: Pick<SiteDoors, 'connect' | 'disconnect'>,
  simUrl: string,
): Promise<SiteEquipment> {
  const master = await openMasterKey(values, dataDir, random, { create: true });
  const address = createAddressResolver(clock, simUrl);
  const resolveLink = async (link: string): Promise<LinkAddress> => address(addressOf(site, link));
  return {
    resolveLink,
    doors: {
      ...transports,
      clock,
      random,
      ...master,
      signing: (component) => fileSigningKey(join(dataDir, 'keys'), component, random),
      logger,
      metrics,
      openLink: (link) =>
        openModbusLink({ clock, random, logger, metrics, resolve: () => resolveLink(link) }, { link }),
      admission: admissionOf(values, dataDir, logger),
      traceRatio: values.trace_ratio,
      mail: createSmtpSender({ resolve: () => address(site.channels.email?.url ?? 'sim:smtp') }),
    },
  };
}

/** Each instance of a component with connections of its own, under its component's identity. */
export function natsDoors(own: SiteProcess, url: string): Required<Pick<SiteDoors, 'connect' | 'disconnect'>> {
  const { values, topology, dataDir, clock, random, logger, metrics } = own;
  const { nats_nkey_file, nats_ca_file: caFile } = values;
  return {
    connect: (component) => {
      const options = {
        ...{ url, tenant: topology.tenant, component, dataDir, clock, random, logger, metrics },
        ...(nats_nkey_file === undefined ? {} : { nkeySeed: seedOf(nats_nkey_file, component) }),
        ...(caFile === undefined ? {} : { caFile }),
      };
      return patiently(component, clock, () => openTransport('nats', options));
    },
    disconnect: (transport) => transport.close(),
  };
}

const WAIT_MS = 2_000;

/** Processes start in any order: a server or a stream that is not there yet is waited for, and said. */
async function patiently(component: string, clock: Clock, open: () => Promise<Transport>): Promise<Transport> {
  for (;;) {
    try {
      return await open();
    } catch (thrown) {
      if (!(thrown instanceof HermesError) || thrown.reason !== 'log_unavailable') throw thrown;
      const next = thrown.data.suggestion ? `\n  next: ${thrown.data.suggestion}` : '';
      process.stderr.write(`${component} waits: ${thrown.message}${next}\n`);
      await clock.sleep(WAIT_MS);
    }
  }
}

/** The seed in a file, or in the component's file of a folder, as `hermes nats config` writes them. */
export function seedOf(path: string, component: string): string {
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, `${component}.nk`) : path;
  if (!existsSync(file)) {
    const problem = `no file ${file}`;
    throw new HermesError('invalid_params', `there is no NKey seed for ${component}: ${problem}`, {
      fields: [{ pointer: '/nats_nkey_file', problem }],
      suggestion: 'make the identities: hermes nats config <topology> --out <folder>',
    });
  }
  const seed = /^SU[A-Z2-7]{56}$/m.exec(readFileSync(file, 'utf8'))?.[0];
  if (seed) return seed;
  const problem = 'holds no seed of a user (SU…)';
  throw invalidParams(`${file} ${problem}`, [{ pointer: '/nats_nkey_file', problem }]);
}

function addressOf(site: Site, link: string): string {
  const found = site.links.find((candidate) => candidate.id === link);
  if (found) return found.address;
  throw new HermesError('not_found', `the site has no link ${link}`);
}
