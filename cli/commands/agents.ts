import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { createHttpClient } from '../http-client.js';
import { print, table } from '../output.js';

interface AgentView {
  readonly name: string;
  readonly version: string | null;
  readonly state: string;
  readonly methods: readonly string[];
  readonly instances: readonly Instance[];
}

interface Instance {
  readonly instance: string;
  readonly state: string;
  readonly load: number;
  readonly owns: readonly string[];
  readonly since: string;
}

interface Drained {
  readonly instance: string;
  readonly result?: unknown;
}

/** `hermes agents`: who is there. `hermes agents drain <instance>`: one of them hands over what it owns. */
export function agentsCommand(): Command {
  const command = new Command('agents')
    .description('agents, their instances and methods')
    .option('--json', 'as JSON')
    .option('--instances', 'one line an instance')
    .action(async (options: { json?: boolean; instances?: boolean }) => {
      const agents = await createHttpClient(loadConfig().values.url).get<AgentView[]>('/v1/agents');
      if (options.json) return print(agents);
      if (options.instances) return print(instanceTable(agents));
      const rows = agents.map((agent) => [
        agent.name,
        agent.version ?? '-',
        agent.state,
        String(agent.instances.length),
        agent.methods.join(' '),
      ]);
      print(table([['agent', 'version', 'state', 'instances', 'methods'], ...rows]));
    });
  command
    .command('drain')
    .description('end the intake of one instance; what it owns goes to its siblings')
    .argument('<instance>', 'as hermes agents --instances shows it')
    .option('--json', 'as JSON')
    .action(async (instance: string, options: { json?: boolean }) => {
      const path = `/v1/agents/${encodeURIComponent(instance)}/drain`;
      const drained = await createHttpClient(loadConfig().values.url).send<Drained>('POST', path, {});
      print(options.json ? drained : `${drained.instance} takes no more work; stop its process when you like`);
    });
  return command;
}

const instanceTable = (agents: readonly AgentView[]): string =>
  table([
    ['instance', 'agent', 'version', 'state', 'load', 'since', 'owns'],
    ...agents.flatMap(({ name, version, instances }) =>
      instances.map(({ instance, state, load, since, owns }) => [
        ...[instance, name, version ?? '-', state, String(load), since, owns.join(' ')],
      ]),
    ),
  ]);
