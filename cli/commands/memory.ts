import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { HermesError, type WireError } from '../../shared/errors.js';
import { createHttpClient } from '../http-client.js';
import { print, table } from '../output.js';

interface SnapshotView {
  readonly snapshot_id: string;
  readonly version: number;
  readonly scope: string;
  readonly created_at: string;
  readonly expires_at?: string;
  readonly data: unknown;
  readonly operation_id?: string;
  readonly goal_id?: string;
}
interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}
interface ComponentStats {
  readonly component: string;
  readonly count?: number;
  readonly bytes?: number;
  readonly kinds?: readonly { kind: string; count: number; bytes: number; share: number }[];
  readonly error?: WireError;
}
interface ComponentCheck {
  readonly component: string;
  readonly scopes?: number;
  readonly problems?: readonly { scope: string; what: string; at: number }[];
  readonly error?: WireError;
}
interface Options {
  readonly json?: boolean;
  readonly archive?: boolean;
  readonly component?: string;
  readonly version?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
}

const ask = <T>(path: string, query: Readonly<Record<string, string | undefined>>): Promise<T> => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
  return createHttpClient(loadConfig().values.url).get<T>(`/v1/memory/${path}${search}`);
};
const pathOf = (scope: string): string => encodeURIComponent(scope);
const where = ({ archive, component }: Options): Record<string, string | undefined> => ({
  component,
  archive: archive ? 'true' : undefined,
});

/** `hermes memory`: what is remembered of a scope, and whether it agrees with the record. */
export function memoryCommand(): Command {
  const command = new Command('memory').description('snapshots of a scope, and whether they agree with the record');
  const about = (name: string, description: string): Command =>
    command
      .command(`${name} <scope>`)
      .description(description)
      .option('--archive', 'expired versions too, as the log has them')
      .option('--component <name>', 'ask this component instead of the home of the scope')
      .option('--json', 'as JSON');
  about('show', 'the newest snapshot, or one version')
    .option('--version <n>', 'this version')
    .action(async (scope: string, options: Options) => {
      const snapshot = await ask<SnapshotView>(pathOf(scope), { ...where(options), version: options.version });
      print(options.json ? snapshot : shown(snapshot));
    });
  about('history', 'versions, oldest first')
    .option('--from <n>', 'from this version on')
    .option('--limit <n>', 'so many of them')
    .action(async (scope: string, options: Options) => {
      const query = { ...where(options), from_version: options.from, limit: options.limit };
      const found = await ask<{ versions: SnapshotView[]; next?: number }>(`${pathOf(scope)}/history`, query);
      print(options.json ? found : historyTable(found.versions, found.next));
    });
  about('diff', 'what changed between two versions, field by field')
    .requiredOption('--from <n>', 'the earlier version')
    .requiredOption('--to <n>', 'the later one')
    .action(async (scope: string, options: Options) => {
      const query = { ...where(options), from: options.from, to: options.to };
      const found = await ask<{ changes: Change[] }>(`${pathOf(scope)}/diff`, query);
      print(options.json ? found : changeTable(found.changes));
    });
  addOverview(command);
  return command;
}

function addOverview(command: Command): void {
  command
    .command('stats')
    .description('how much is remembered, by component and kind of scope')
    .option('--component <name>', 'only this component')
    .option('--json', 'as JSON')
    .action(async ({ json, component }: Options) => {
      const found = await ask<{ components: ComponentStats[] }>('stats', { component });
      print(json ? found : statsTable(found.components));
    });
  command
    .command('check [scope]')
    .description('hold chains, versions and index rows against the entries; exits 1 when they disagree')
    .option('--component <name>', 'only this component')
    .option('--json', 'as JSON')
    .action(async (scope: string | undefined, { json, component }: Options) => {
      const found = await ask<{ components: ComponentCheck[] }>('check', { component, scope });
      print(json ? found : checkTable(found.components));
      const bad = found.components.filter(({ problems, error }) => error || (problems?.length ?? 0) > 0);
      if (bad.length === 0) return;
      throw new HermesError('internal', `memory is not as it was recorded, or not checked: ${namesOf(bad)}`, {
        suggestion: 'stop the agent and delete its view (not the log): it is built again from the record',
      });
    });
}

const namesOf = (rows: readonly ComponentCheck[]): string => rows.map(({ component }) => component).join(', ');

const shown = (snapshot: SnapshotView): string =>
  table([
    ['scope', snapshot.scope],
    ['version', `${snapshot.version} (${snapshot.snapshot_id})`],
    ['written', snapshot.created_at],
    ['expires', snapshot.expires_at ?? 'never'],
    ...(snapshot.operation_id ? [['operation', snapshot.operation_id]] : []),
    ...(snapshot.goal_id ? [['goal', snapshot.goal_id]] : []),
    ['data', JSON.stringify(snapshot.data)],
  ]);

function historyTable(versions: readonly SnapshotView[], next: number | undefined): string {
  if (versions.length === 0) return 'nothing is remembered; --archive shows what has expired';
  const rows = versions.map(({ version, created_at, expires_at, data }) => [
    ...[String(version), created_at, expires_at ?? 'never', JSON.stringify(data)],
  ]);
  const more = next === undefined ? '' : `\nthere are more: --from ${next}`;
  return `${table([['version', 'written', 'expires', 'data'], ...rows])}${more}`;
}

const changeTable = (changes: readonly Change[]): string =>
  changes.length === 0
    ? 'no field differs'
    : table([
        ['field', 'before', 'after'],
        ...changes.map(({ path, before, after }) => [path, JSON.stringify(before), JSON.stringify(after)]),
      ]);

const statsTable = (components: readonly ComponentStats[]): string =>
  table([
    ['component', 'kind', 'snapshots', 'bytes', 'share'],
    ...components.flatMap(({ component, kinds = [], count = 0, bytes = 0, error }) => [
      [component, error ? error.message : 'all', error ? '-' : String(count), error ? '-' : String(bytes), ''],
      ...kinds.map((one) => [
        ...['', one.kind, String(one.count), String(one.bytes), `${Math.round(one.share * 100)} %`],
      ]),
    ]),
  ]);

const checkTable = (components: readonly ComponentCheck[]): string =>
  table([
    ['component', 'scopes', 'result'],
    ...components.map(({ component, scopes, problems = [], error }) => {
      const found = problems.map(({ scope, what, at }) => `${what} of ${scope} at ${at}`).join('; ');
      return [component, String(scopes ?? '-'), error?.message ?? (found || 'as recorded')];
    }),
  ]);
