import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { createHttpClient } from '../http-client.js';
import { print } from '../output.js';

interface Options {
  readonly module?: string;
  readonly leave?: boolean;
  readonly json?: boolean;
}
interface Joined {
  readonly name: string;
  readonly component: string;
  readonly instance: string;
}
interface AgentView {
  readonly manifest: {
    readonly rule_pack?: {
      readonly intents: readonly { readonly example: { readonly zh: string; readonly en: string } }[];
    };
  } | null;
}

/** `hermes agent <name>`: the running site takes in an agent that its topology does not list, or lets it go. */
export function agentCommand(): Command {
  return new Command('agent')
    .description('have the running site take in an agent without a row in its topology')
    .argument('<name>', 'component name, for example coolant')
    .option('--module <path>', 'folder of its code below agents/ or examples/; default agents/<name>')
    .option('--leave', 'let it go again')
    .option('--json', 'as JSON')
    .action(async (given: string, options: Options) => {
      const client = createHttpClient(loadConfig().values.url);
      const name = given.replaceAll('-', '_');
      const path = `/v1/agents/${encodeURIComponent(name)}`;
      if (options.leave) {
        await client.send('DELETE', path);
        return print(options.json ? { name, left: true } : `${name} has left`);
      }
      const module = options.module?.replace(/^\.\//, '').replace(/\/$/, '');
      const joined = await client.send<Joined>('POST', '/v1/agents', { name, ...(module ? { module } : {}) });
      if (options.json) return print(joined);
      const { manifest } = await client.get<AgentView>(path);
      const examples = manifest?.rule_pack?.intents.flatMap(({ example }) => [example.zh, example.en]) ?? [];
      const lines = examples.map((sentence) => `  npx hermes goal "${sentence}"`);
      print([`${joined.component} has joined as ${joined.instance}`, ...lines].join('\n'));
    });
}
