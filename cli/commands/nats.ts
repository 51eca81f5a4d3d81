import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { initNatsStreams } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { loadConfig } from '../../shared/config.js';
import { HermesError, invalidParams } from '../../shared/errors.js';
import { systemRandom } from '../../shared/random.js';
import { natsConfig, natsTenantOf } from '../../topology/index.js';
import { openLogger } from '../logging.js';
import { readSeeds, writeNatsFiles } from '../nats-files.js';
import { print, table } from '../output.js';
import { seedOf, siteFile } from '../site-process.js';

interface ConfigOptions {
  readonly out: string;
  readonly listen?: string;
  readonly storeDir?: string;
  readonly with?: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly encryptionKey?: string;
  readonly json?: boolean;
}
interface InitOptions {
  readonly nats?: string;
  readonly replicas?: string;
  readonly json?: boolean;
}

/** `hermes nats config` and `hermes nats init`: a server on which nobody speaks for another, and its streams. */
export function natsCommand(): Command {
  const command = new Command('nats').description('configuration and streams of a nats-server with identities');
  command
    .command('config')
    .description('write a nats-server configuration and one NKey seed for each component of a site')
    .argument('[topology]', 'site file; default: the demo site')
    .option('--out <folder>', 'where both go; seeds that are there already stay', './nats')
    .option('--listen <address>', 'where the server listens', '127.0.0.1:4222')
    .option('--store-dir <folder>', 'where the server keeps its streams; default: jetstream in that folder')
    .option('--with <names...>', 'agents without a row in the site file that get an identity, too')
    .option('--tls-cert <file>', 'the server’s certificate; with --tls-key')
    .option('--tls-key <file>', 'its private key')
    .option('--encryption-key <variable>', 'variable of the server with the key that encrypts its files')
    .option('--json', 'as JSON')
    .action(configure);
  command
    .command('init')
    .description('make the streams of a site; on a server with identities as the user ops')
    .argument('[topology]', 'site file; default: the demo site')
    .option('--nats <url>', 'NATS servers of the site; default HERMES_NATS_URL')
    .option('--replicas <n>', 'copies of each stream: 1, or 3 on three servers', '1')
    .option('--json', 'as JSON')
    .action(init);
  return command;
}

function configure(file: string | undefined, options: ConfigOptions): void {
  const { topology } = siteFile(loadConfig({ topology: file }).values);
  const folder = resolve(options.out);
  const tenant = natsTenantOf(topology);
  const more = (options.with ?? []).map((name) => ({ name: name.replaceAll('-', '_'), role: 'component' as const }));
  const members = [...tenant.members, ...more.filter(({ name }) => !tenant.members.some((one) => one.name === name))];
  const { text, seeds } = natsConfig([{ ...tenant, members }], {
    listen: options.listen ?? '127.0.0.1:4222',
    storeDir: resolve(options.storeDir ?? join(folder, 'jetstream')),
    seeds: new Map([[topology.tenant, readSeeds(folder)]]),
    ...(options.encryptionKey ? { encryptionKeyVariable: options.encryptionKey } : {}),
    ...tlsOf(options),
  });
  const written = writeNatsFiles(folder, text, seeds.get(topology.tenant) ?? new Map());
  const next = [
    `nats-server -c ${written.config}`,
    `export HERMES_NATS_URL=nats://${options.listen} HERMES_NATS_NKEY_FILE=${written.seedFolder}`,
    'hermes nats init',
    'hermes coordinator; hermes agent <name>',
  ];
  const rows = [['configuration', written.config], ...written.seeds.map((path) => ['seed', path])];
  print(options.json ? { ...written, next } : [table(rows), 'next:', ...next.map((line) => `  ${line}`)].join('\n'));
}

function tlsOf({ tlsCert, tlsKey }: ConfigOptions) {
  if (tlsCert === undefined && tlsKey === undefined) return {};
  if (tlsCert !== undefined && tlsKey !== undefined)
    return { tls: { certFile: resolve(tlsCert), keyFile: resolve(tlsKey) } };
  const problem = 'say both --tls-cert and --tls-key';
  throw invalidParams(problem, [{ pointer: tlsCert === undefined ? '--tls-cert' : '--tls-key', problem: 'missing' }]);
}

async function init(file: string | undefined, options: InitOptions): Promise<void> {
  const { values } = loadConfig({ topology: file, nats_url: options.nats });
  const { topology } = siteFile(values);
  const { nats_url: url, nats_nkey_file, nats_ca_file: caFile } = values;
  if (url === undefined) {
    throw new HermesError('invalid_params', 'which server? There is no address', {
      fields: [{ pointer: '--nats', problem: 'missing' }],
      suggestion: 'say --nats nats://host:4222, or set HERMES_NATS_URL',
    });
  }
  const replicas = Number(options.replicas);
  if (![1, 3, 5].includes(replicas)) {
    const problem = 'has to be 1, 3 or 5';
    throw invalidParams(`--replicas ${options.replicas} ${problem}`, [{ pointer: '--replicas', problem }]);
  }
  const streams = await initNatsStreams({
    ...{ url, tenant: topology.tenant, replicas },
    ...(nats_nkey_file === undefined ? {} : { nkeySeed: seedOf(nats_nkey_file, 'ops') }),
    ...(caFile === undefined ? {} : { caFile }),
    clock: systemClock(),
    random: systemRandom(),
    logger: openLogger(values.log_level),
  });
  print(options.json ? { url, streams } : `${url} has ${streams.join(', ')}`);
}
