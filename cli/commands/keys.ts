import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { HermesError, invalidParams } from '../../shared/errors.js';
import { fileKeyProvider, nextPathOf, pkcs11KeyProvider, publicKeyId } from '../../shared/keys/index.js';
import { systemRandom } from '../../shared/random.js';
import { createHttpClient } from '../http-client.js';
import { masterKeyPath, pkcs11Options, providerOf } from '../master-key.js';
import { print, table } from '../output.js';

interface KeysView {
  readonly master: string;
  readonly data_keys: readonly { readonly number: number; readonly since?: string; readonly in_use: boolean }[];
  readonly components: readonly {
    readonly component: string;
    readonly key_id: string;
    readonly public_pem: string;
    readonly since?: string;
  }[];
  readonly next?: string;
}
interface Options {
  readonly json?: boolean;
  readonly dataDir?: string;
  readonly provider?: string;
  readonly next?: boolean;
  readonly rewrap?: boolean;
  readonly pem?: boolean;
}

/** `hermes keys init | show | rotate`. */
export function keysCommand(): Command {
  const command = new Command('keys').description('master key, data keys, and the public keys of components');
  command
    .command('init')
    .description('make a master key, on this machine')
    .option('--provider <name>', 'file or pkcs11; default: as configured')
    .option('--data-dir <folder>', 'where the record is kept')
    .option('--next', 'the one that is to come, for: hermes keys rotate --rewrap')
    .option('--json', 'as JSON')
    .action(init);
  command
    .command('show')
    .description('which keys there are; the keys themselves are not told')
    .option('--data-dir <folder>', 'public keys of a stopped instance')
    .option('--pem', 'the public keys as PEM')
    .option('--json', 'as JSON')
    .action(async (options: Options) => {
      const keys = options.dataDir ? stopped(options.dataDir) : await client().get<KeysView>('/v1/keys');
      if (options.json) print(keys);
      else print(options.pem ? keys.components.map(({ public_pem }) => public_pem.trim()).join('\n') : overview(keys));
    });
  command
    .command('rotate')
    .description('a new data key; what was sealed before stays readable')
    .option('--rewrap', 'all data keys under the new master key instead; the old one opens nothing any more')
    .option('--json', 'as JSON')
    .action(async (options: Options) => {
      const body = { rewrap: options.rewrap ?? false };
      const keys = await client().send<KeysView>('POST', '/v1/keys/rotate', body);
      print(options.json ? keys : overview(keys));
    });
  return command;
}

const client = () => createHttpClient(loadConfig().values.url);

async function init(options: Options): Promise<void> {
  const { values } = loadConfig(options.dataDir ? { data_dir: options.dataDir } : {});
  const random = systemRandom();
  const provider = options.provider ?? providerOf(values);
  if (provider === 'pkcs11') {
    const { id } = await pkcs11KeyProvider(pkcs11Options(values), random, { create: true });
    return said(options, { id, where: `token ${values.pkcs11_token}, key ${values.pkcs11_key}` });
  }
  if (provider !== 'file') {
    throw invalidParams(`--provider ${provider}`, [
      { pointer: '/provider', problem: 'file or pkcs11; a key for env is made with: openssl rand -base64 32' },
    ]);
  }
  const master = masterKeyPath(resolve(values.data_dir));
  const path = options.next ? nextPathOf(master) : master;
  if (existsSync(path)) {
    throw new HermesError('invalid_params', `there is a master key at ${path} already`, {
      suggestion: 'what was sealed under it needs it; another one comes with: hermes keys init --next',
    });
  }
  const { id } = fileKeyProvider(path, random, { create: true });
  said(options, { id, where: path });
}

function said({ json }: Options, made: { readonly id: string; readonly where: string }): void {
  print(json ? made : `${made.id}\n${made.where}\nkeep a copy apart from the data: without it nothing opens`);
}

/** What lies in the folder: the public keys of the components that ran from it. */
function stopped(dataDir: string): KeysView {
  const folder = join(resolve(dataDir), 'keys');
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.pub.pem')) : [];
  const components = files.map((name) => {
    const public_pem = readFileSync(join(folder, name), 'utf8');
    return { component: name.slice(0, -'.pub.pem'.length), key_id: publicKeyId(public_pem), public_pem };
  });
  const file = masterKeyPath(resolve(dataDir));
  const master = existsSync(file) ? fileKeyProvider(file, systemRandom(), { create: false }).id : 'not in this folder';
  return { master, data_keys: [], components };
}

function overview({ master, data_keys, components, next }: KeysView): string {
  const data = data_keys.map(({ number, since, in_use }) => [String(number), since ?? '', in_use ? 'in use' : 'reads']);
  const signing = components.map(({ component, key_id, since }) => [component, key_id, since ?? '']);
  return [
    `master key  ${master}`,
    ...(data.length > 0 ? ['', table([['data key', 'since', ''], ...data])] : []),
    ...(signing.length > 0 ? ['', table([['component', 'signs with', 'since'], ...signing])] : []),
    ...(next ? ['', `next: ${next}`] : []),
  ].join('\n');
}
