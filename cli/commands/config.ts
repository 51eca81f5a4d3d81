import { Command } from 'commander';
import { CONFIG, type ConfigKey, loadConfig } from '../../shared/config.js';
import { print, table } from '../output.js';

/** `hermes config show`: effective values and where each comes from; secrets masked. */
export function configCommand(): Command {
  const command = new Command('config').description('the configuration as it is in effect');
  command
    .command('show')
    .option('--json', 'as JSON')
    .action((options: { json?: boolean }) => {
      const { values, sources } = loadConfig();
      const rows = (Object.keys(CONFIG) as ConfigKey[]).map((key) => {
        const secret = 'secret' in CONFIG[key] && values[key] !== undefined;
        return {
          key,
          value: secret ? '********' : (values[key] ?? null),
          source: sources[key],
          env: CONFIG[key].env,
          meaning: CONFIG[key].meaning,
        };
      });
      if (options.json) return print(rows);
      print(
        table([
          ['key', 'value', 'source', 'environment'],
          ...rows.map((row) => [row.key, String(row.value ?? '-'), row.source, row.env]),
        ]),
      );
    });
  return command;
}
