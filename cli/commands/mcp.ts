import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { createHttpClient } from '../http-client.js';
import { print, table } from '../output.js';

interface Versions {
  readonly current: string;
  readonly days: number;
  readonly shares: readonly {
    readonly version: string;
    readonly caller: string;
    readonly messages: number;
    readonly share: number;
  }[];
  readonly may_switch_off: Readonly<Record<string, boolean>>;
  readonly silent: readonly string[];
}

/** `hermes mcp versions`: who still speaks which version of the protocol, and whether an old one may go. */
export function mcpCommand(): Command {
  const command = new Command('mcp').description('the protocol between components');
  command
    .command('versions')
    .description('share of each protocol version by caller, over seven days')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => {
      const versions = await createHttpClient(loadConfig().values.url).get<Versions>('/v1/mcp/versions');
      print(options.json ? versions : overview(versions));
    });
  return command;
}

function overview({ current, days, shares, may_switch_off, silent }: Versions): string {
  const rows = shares.map(({ version, caller, messages, share }) => [
    version,
    caller,
    String(messages),
    `${(share * 100).toFixed(1)} %`,
  ]);
  const old = Object.entries(may_switch_off).map(([version, may]) =>
    may ? `${version} may be switched off: under 1 % of ${days} days` : `${version} is still used: keep it`,
  );
  const none = old.length === 0 ? [`everybody speaks ${current}`] : old;
  const missing = silent.length === 0 ? [] : [`did not answer: ${silent.join(', ')}`];
  return [table([['version', 'caller', 'messages', 'share'], ...rows]), ...none, ...missing].join('\n');
}
