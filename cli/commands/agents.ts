import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { createHttpClient } from '../http-client.js';
import { print, table } from '../output.js';

interface AgentView {
  readonly name: string;
  readonly version: string | null;
  readonly state: string;
  readonly methods: readonly string[];
  readonly instances: readonly { readonly instance: string }[];
}

/** `hermes agents`: who is there. */
export function agentsCommand(): Command {
  return new Command('agents')
    .description('agents, their instances and methods')
    .option('--json', 'as JSON')
    .action(async (options: { json?: boolean }) => {
      const agents = await createHttpClient(loadConfig().values.url).get<AgentView[]>('/v1/agents');
      if (options.json) return print(agents);
      const rows = agents.map((agent) => [
        agent.name,
        agent.version ?? '-',
        agent.state,
        String(agent.instances.length),
        agent.methods.join(' '),
      ]);
      print(table([['agent', 'version', 'state', 'instances', 'methods'], ...rows]));
    });
}
