import { Command } from 'commander';
import { agentNames, findCheckout, scaffoldAgent } from '../agent-scaffold.js';
import { print } from '../output.js';

interface Options {
  readonly zh?: string;
  readonly json?: boolean;
}

/** `hermes new agent <name>`: a folder that builds, runs and passes its tests, and nothing else changed. */
export function newCommand(): Command {
  const command = new Command('new').description('make something of the checkout that you stand in');
  command
    .command('agent')
    .description('an agent from the template: agents/<name>, which builds, joins and passes its tests')
    .argument('<name>', 'for example coolant or pump-guard')
    .option('--zh <word>', 'what it is called in Chinese sentences')
    .option('--json', 'as JSON')
    .action((name: string, options: Options) => {
      const checkout = findCheckout(process.cwd());
      const names = agentNames(name, options.zh);
      const files = scaffoldAgent(checkout, names);
      const next = [
        `npx vitest run agents/${names.kebab}`,
        'npm start',
        `npx hermes agent ${names.snake}`,
        `npx hermes goal "查看PLC-003的${names.zh}概况"`,
        `npx hermes goal "${names.spoken} overview of PLC-003"`,
      ];
      if (options.json) return print({ component: names.snake, checkout, files, next });
      print([...files, '', 'Next:', ...next.map((line) => `  ${line}`)].join('\n'));
    });
  return command;
}
