import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { editDistance } from './edit-distance.js';
import { HermesError, invalidParams } from './errors.js';

/**
 * The one configuration schema. Sources in rising order: default, file (`hermes.yaml`), environment, flag. Each key has
 * one environment variable; an unknown key is an error with a suggestion.
 */
const SERVER = '((nats|tls)://[^\\s,/]+|[^\\s,/:]+:\\d+)';
const NATS_URL = new RegExp(`^${SERVER}(,${SERVER})*$`);
const port = z.coerce.number().int().min(0).max(65_535);

interface Row {
  readonly env: string;
  readonly schema: z.ZodType;
  readonly default?: unknown;
  readonly secret?: boolean;
  readonly meaning: string;
}

export const CONFIG = {
  http_host: { env: 'HERMES_HTTP_HOST', schema: z.string(), default: '127.0.0.1', meaning: 'address of the HTTP side' },
  http_port: {
    env: 'HERMES_HTTP_PORT',
    schema: port,
    default: 7070,
    meaning: 'port of the HTTP side; 0 takes a free one',
  },
  sim_port: {
    env: 'HERMES_SIM_PORT',
    schema: port,
    default: 7071,
    meaning: 'port of the simulators’ control endpoint',
  },
  data_dir: {
    env: 'HERMES_DATA_DIR',
    schema: z.string().min(1),
    default: './.hermes',
    meaning: 'where the record is kept',
  },
  tenant: {
    env: 'HERMES_TENANT',
    schema: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,31}$/)
      .optional(),
    meaning: 'tenant of this process; default: the topology’s',
  },
  topology: { env: 'HERMES_TOPOLOGY', schema: z.string().optional(), meaning: 'site file; default: the demo site' },
  url: { env: 'HERMES_URL', schema: z.url(), default: 'http://127.0.0.1:7070', meaning: 'where the command line asks' },
  sim_url: {
    env: 'HERMES_SIM_URL',
    schema: z.url().optional(),
    meaning: 'simulators on another port; default: sim_port here',
  },
  master_key: {
    env: 'HERMES_MASTER_KEY',
    schema: z.string().optional(),
    secret: true,
    meaning: 'master key, 32 bytes in base64 or hex',
  },
  key_provider: {
    env: 'HERMES_KEY_PROVIDER',
    schema: z.enum(['file', 'env', 'pkcs11']).optional(),
    meaning: 'where the master key is; unset = env when HERMES_MASTER_KEY is set, else a file of the data folder',
  },
  master_key_next: {
    env: 'HERMES_MASTER_KEY_NEXT',
    schema: z.string().optional(),
    secret: true,
    meaning: 'master key that is to come, for: hermes keys rotate --rewrap',
  },
  pkcs11_module: {
    env: 'HERMES_PKCS11_MODULE',
    schema: z.string().min(1).optional(),
    meaning: 'library of the token, for example /usr/lib/softhsm/libsofthsm2.so',
  },
  pkcs11_token: { env: 'HERMES_PKCS11_TOKEN', schema: z.string(), default: 'hermes', meaning: 'label of the token' },
  pkcs11_pin: { env: 'HERMES_PKCS11_PIN', schema: z.string().optional(), secret: true, meaning: 'PIN of the token' },
  pkcs11_key: {
    env: 'HERMES_PKCS11_KEY',
    schema: z.string(),
    default: 'hermes-master',
    meaning: 'label of the key in the token',
  },
  tools_mode: {
    env: 'HERMES_TOOLS_MODE',
    schema: z.enum(['enforce', 'develop']).optional(),
    meaning:
      'unsigned tools: enforce refuses, develop warns; unset = enforce for a packed product on NATS, else develop',
  },
  tools_keys: {
    env: 'HERMES_TOOLS_KEYS',
    schema: z.string().min(1).optional(),
    meaning:
      'PEM files, with commas between, of keys that may sign tools; unset = of this data folder and this product',
  },
  log_level: {
    env: 'HERMES_LOG_LEVEL',
    schema: z.enum(['debug', 'info', 'warn', 'error', 'silent']),
    default: 'warn',
    meaning: 'what is logged',
  },
  nats_url: {
    env: 'HERMES_NATS_URL',
    schema: z.string().regex(NATS_URL, 'nats://host:port or tls://host:port, several separated by commas').optional(),
    meaning: 'NATS servers that the site runs over; unset = embedded, everything in one process',
  },
  nats_nkey_file: {
    env: 'HERMES_NATS_NKEY_FILE',
    schema: z.string().min(1).optional(),
    meaning: 'NKey seed of this process’s component, or a folder with one <component>.nk for each; unset = no identity',
  },
  nats_ca_file: {
    env: 'HERMES_NATS_CA_FILE',
    schema: z.string().min(1).optional(),
    meaning: 'PEM of the authority that signed the certificates of the NATS servers; unset = no TLS',
  },
  health_port: {
    env: 'HERMES_HEALTH_PORT',
    schema: port.optional(),
    meaning: 'port of /healthz, /readyz, /metrics of an agent’s process; 0 takes a free one; unset = off',
  },
  otlp_endpoint: {
    env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    schema: z.url().optional(),
    meaning: 'where traces are exported to; unset = nowhere',
  },
  trace_ratio: {
    env: 'HERMES_TRACE_RATIO',
    schema: z.coerce.number().min(0).max(1),
    default: 0.1,
    meaning: 'share of the traces whose spans are recorded, 0 to 1; the timeline of a goal does not depend on it',
  },
  field_data: {
    env: 'HERMES_FIELD_DATA',
    schema: z.string(),
    default: '../shared/data',
    meaning: 'public data that tests read',
  },
} as const satisfies Readonly<Record<string, Row>>;

export type ConfigKey = keyof typeof CONFIG;
export type Config = { readonly [K in ConfigKey]: z.output<(typeof CONFIG)[K]['schema']> };
export type ConfigSource = 'default' | 'file' | 'environment' | 'flag';

export interface LoadedConfig {
  readonly values: Config;
  readonly sources: Readonly<Record<ConfigKey, ConfigSource>>;
}

/** Variables that the specification names and this release does not have: set, they would silently have no effect. */
const NOT_IN_THIS_RELEASE: ReadonlySet<string> = new Set([
  ...['HERMES_TOKEN', 'HERMES_AUTH_TOKENS', 'HERMES_AUTH_JWKS_URL', 'HERMES_AUTH_PUBLIC_KEY'],
  'HERMES_HTTP_RATE_LIMIT',
  ...['HERMES_MODEL_BASE_URL', 'HERMES_MODEL', 'HERMES_MODEL_API_KEY'],
  ...['HERMES_MODEL_PRICE_INPUT', 'HERMES_MODEL_PRICE_OUTPUT', 'HERMES_MODEL_PRICE_CURRENCY'],
]);

const keys = Object.keys(CONFIG) as ConfigKey[];
const FILE = 'hermes.yaml';

/** @throws HermesError `invalid_params` naming key, source and, for an unknown key, the nearest known one. */
export function loadConfig(
  flags: Readonly<Partial<Record<ConfigKey, unknown>>> = {},
  environment: Readonly<Record<string, string | undefined>> = process.env,
  file = FILE,
): LoadedConfig {
  const fromFile = readFile(file);
  checkEnvironment(environment);
  const values: Record<string, unknown> = {};
  const sources: Record<string, ConfigSource> = {};
  for (const key of keys) {
    const row: Row = CONFIG[key];
    const found = pick(key, row, flags, environment, fromFile);
    const parsed = row.schema.safeParse(found.value);
    if (!parsed.success) {
      const problem = parsed.error.issues.map((issue) => issue.message).join('; ');
      throw invalidParams(`configuration ${key} (${found.source}): ${problem}`, [{ pointer: `/${key}`, problem }]);
    }
    values[key] = parsed.data;
    sources[key] = found.source;
  }
  return { values: values as Config, sources: sources as Record<ConfigKey, ConfigSource> };
}

function pick(
  key: ConfigKey,
  row: Row,
  flags: Readonly<Partial<Record<ConfigKey, unknown>>>,
  environment: Readonly<Record<string, string | undefined>>,
  fromFile: Readonly<Record<string, unknown>>,
): { value: unknown; source: ConfigSource } {
  if (flags[key] !== undefined) return { value: flags[key], source: 'flag' };
  const variable = environment[row.env];
  if (variable !== undefined && variable !== '') return { value: variable, source: 'environment' };
  if (fromFile[key] !== undefined) return { value: fromFile[key], source: 'file' };
  return { value: row.default, source: 'default' };
}

function readFile(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  const content: unknown = parse(readFileSync(path, 'utf8')) ?? {};
  if (typeof content !== 'object' || Array.isArray(content))
    throw invalidParams(`${path} is not a map`, [{ pointer: '', problem: 'not a map' }]);
  for (const key of Object.keys(content as object)) {
    if (!keys.includes(key as ConfigKey)) throw unknownKey(key, path, keys);
  }
  return content as Record<string, unknown>;
}

/** A mistyped HERMES_ variable would otherwise be silently without effect. */
function checkEnvironment(environment: Readonly<Record<string, string | undefined>>): void {
  const known = keys.map((key) => CONFIG[key].env as string);
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('HERMES_') || known.includes(name)) continue;
    throw NOT_IN_THIS_RELEASE.has(name) ? notYet(name) : unknownKey(name, 'the environment', known);
  }
}

function notYet(name: string): HermesError {
  return new HermesError('invalid_params', `${name} is not in this release`, {
    fields: [{ pointer: `/${name}`, problem: 'not in this release' }],
    suggestion: `unset ${name}; hermes config show lists what there is`,
  });
}

function unknownKey(key: string, where: string, known: readonly string[]): HermesError {
  const nearest = [...known].sort((a, b) => editDistance(key, a) - editDistance(key, b))[0];
  return new HermesError('invalid_params', `${where} has an unknown key ${key}`, {
    fields: [{ pointer: `/${key}`, problem: 'unknown key' }],
    suggestion: `did you mean ${nearest}?`,
  });
}
