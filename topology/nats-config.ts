import { COORDINATOR } from '../coordinator/index.js';
import { type NatsRole, natsPermissions, natsUser } from '../mcp/transport/index.js';
import type { Topology } from './schema.js';

/** Who may connect for one tenant. */
export interface NatsTenant {
  readonly tenant: string;
  readonly members: readonly NatsMember[];
}

export interface NatsMember {
  /** Component name without version; `ops` is the operator. */
  readonly name: string;
  readonly role: NatsRole;
  /** Major version that it serves. Default 1. */
  readonly major?: number;
}

export interface NatsConfigOptions {
  /** Default `0.0.0.0:4222`. */
  readonly listen?: string;
  /** Default `/data/jetstream`. */
  readonly storeDir?: string;
  /** Environment variable of the server that holds the key under which JetStream encrypts its files. */
  readonly encryptionKeyVariable?: string;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  /** Seeds by tenant and member that stay as they are; everybody else gets a new one. */
  readonly seeds?: NatsSeeds;
}

/** Seeds by tenant and member. Secrets: the server's configuration holds public keys only. */
export type NatsSeeds = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface NatsConfig {
  /** Text of a nats-server configuration. */
  readonly text: string;
  readonly seeds: NatsSeeds;
}

/** Everybody of a site: its agents, coordinator and journal, the command line as a caller, and the operator. */
export function natsTenantOf(topology: Pick<Topology, 'tenant' | 'agents'>): NatsTenant {
  const agents = topology.agents.map(({ name }): NatsMember => ({ name, role: 'component' }));
  const rest: readonly NatsMember[] = [
    { name: COORDINATOR, role: 'coordinator' },
    { name: 'journal', role: 'journal' },
    { name: 'hermes_cli', role: 'caller' },
    { name: 'ops', role: 'ops' },
  ];
  return { tenant: topology.tenant, members: [...agents, ...rest] };
}

/**
 * A server configuration in which nobody speaks for another: an account for each tenant, an NKey user with the least
 * permissions for each member.
 * @throws HermesError `invalid_params` for a seed that is none.
 */
export function natsConfig(tenants: readonly NatsTenant[], options: NatsConfigOptions = {}): NatsConfig {
  const seeds = new Map(
    tenants.map(({ tenant, members }) => {
      const known = options.seeds?.get(tenant);
      return [tenant, new Map(members.map(({ name }) => [name, natsUser(known?.get(name)).seed]))] as const;
    }),
  );
  const accounts = tenants.map((tenant) => account(tenant, seeds.get(tenant.tenant) ?? new Map()));
  const text = [
    '# Made by `hermes nats config`. Public keys only: the seeds are in files of their own.',
    `listen: ${quoted(options.listen ?? '0.0.0.0:4222')}`,
    'max_payload: 1048576',
    ...jetstream(options),
    ...(options.tls ? tls(options.tls) : []),
    'accounts: {',
    ...indented(accounts.flat()),
    '}',
    '',
  ];
  return { text: text.join('\n'), seeds };
}

// One key a line, with colons and spaces: compact forms are parse errors to some servers.

function jetstream({ storeDir = '/data/jetstream', encryptionKeyVariable }: NatsConfigOptions): string[] {
  const cipher = encryptionKeyVariable ? ['cipher: "chacha"', `key: $${encryptionKeyVariable}`] : [];
  return ['jetstream: {', ...indented([`store_dir: ${quoted(storeDir)}`, ...cipher]), '}'];
}

const tls = ({ certFile, keyFile }: { readonly certFile: string; readonly keyFile: string }): string[] => [
  'tls: {',
  ...indented([`cert_file: ${quoted(certFile)}`, `key_file: ${quoted(keyFile)}`]),
  '}',
];

function account({ tenant, members }: NatsTenant, seeds: ReadonlyMap<string, string>): string[] {
  const users = members.flatMap((member) => user(tenant, member, seeds.get(member.name)));
  return [
    `${quoted(`HERMES_${tenant}`)}: {`,
    ...indented(['jetstream: enabled', 'users: [', ...indented(users), ']']),
    '}',
  ];
}

function user(tenant: string, { name, role, major }: NatsMember, seed: string | undefined): string[] {
  const { publish, subscribe } = natsPermissions(tenant, name, role, major);
  return [
    `# ${name}`,
    '{',
    ...indented([
      `nkey: ${quoted(natsUser(seed).publicKey)}`,
      'permissions: {',
      ...indented([...grant('publish', publish), ...grant('subscribe', subscribe)]),
      '}',
    ]),
    '}',
  ];
}

const grant = (act: string, patterns: readonly string[]): string[] => [
  `${act}: {`,
  ...indented(['allow: [', ...indented(patterns.map(quoted)), ']']),
  '}',
];

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

const quoted = (text: string): string => JSON.stringify(text);
