import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { type HermesError, invalidParams } from '../../shared/errors.js';
import { type AgentProcessWish, runAgent, watchAgent } from '../agent-process.js';
import { createHttpClient } from '../http-client.js';
import { print } from '../output.js';

interface Options {
  readonly module?: string;
  readonly leave?: boolean;
  readonly json?: boolean;
  readonly topology?: string;
  readonly nats?: string;
  readonly instances?: string;
  readonly watch?: boolean;
  readonly dataDir?: string;
  readonly simUrl?: string;
  readonly healthPort?: string;
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

/**
 * `hermes agent <name>`: over NATS an agent in a process of its own; without it the running site takes in an agent that
 * its topology does not list, or lets it go.
 */
export function agentCommand(): Command {
  return new Command('agent')
    .description('run an agent in a process of its own over NATS; without --nats have the running site take one in')
    .argument('<name>', 'component name, for example coolant')
    .option('--module <path>', 'folder of its code below agents/ or examples/; default agents/<name>')
    .option('--nats <url>', 'NATS servers of the site; default HERMES_NATS_URL')
    .option('--topology <file>', 'site file; default: the demo site (NATS)')
    .option('--instances <n>', 'instances in this process; default: what the site file says (NATS)')
    .option('--watch', 'start it again when its code changes (NATS)')
    .option('--data-dir <folder>', 'where its view and the master key are kept (NATS)')
    .option('--sim-url <url>', 'control endpoint of the simulators, where devices are simulated (NATS)')
    .option('--health-port <port>', 'port of its /healthz, /readyz, /metrics; default: off (NATS)')
    .option('--leave', 'let it go again (without NATS)')
    .option('--json', 'as JSON')
    .action(async (given: string, options: Options) => {
      const { values } = loadConfig({
        nats_url: options.nats,
        topology: options.topology,
        data_dir: options.dataDir,
        sim_url: options.simUrl,
        health_port: options.healthPort,
      });
      const name = given.replaceAll('-', '_');
      const module = options.module?.replace(/^\.\//, '').replace(/\/$/, '');
      if (values.nats_url === undefined) {
        refuseNatsOptions(options);
        return join(values.url, name, module, options);
      }
      if (options.leave) throw misplaced('--leave', 'an agent over NATS leaves when its process is stopped');
      const wish: AgentProcessWish = {
        name,
        url: values.nats_url,
        json: options.json === true,
        ...(module === undefined ? {} : { module }),
        ...(options.instances === undefined ? {} : { instances: instancesOf(options.instances) }),
      };
      await (options.watch ? watchAgent(values, wish) : runAgent(values, wish));
    });
}

async function join(url: string, name: string, module: string | undefined, options: Options): Promise<void> {
  const client = createHttpClient(url);
  const path = `/v1/agents/${encodeURIComponent(name)}`;
  if (options.leave) {
    await client.send('DELETE', path);
    return print(options.json ? { name, left: true } : `${name} has left`);
  }
  const joined = await client.send<Joined>('POST', '/v1/agents', { name, ...(module ? { module } : {}) });
  if (options.json) return print(joined);
  const { manifest } = await client.get<AgentView>(path);
  const examples = manifest?.rule_pack?.intents.flatMap(({ example }) => [example.zh, example.en]) ?? [];
  const lines = examples.map((sentence) => `  npx hermes goal "${sentence}"`);
  print([`${joined.component} has joined as ${joined.instance}`, ...lines].join('\n'));
}

function refuseNatsOptions(options: Options): void {
  for (const key of ['topology', 'instances', 'watch', 'dataDir', 'simUrl', 'healthPort'] as const) {
    if (options[key] === undefined) continue;
    const flag = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw misplaced(flag, 'is for an agent in a process of its own: say where its network is, --nats nats://host:4222');
  }
}

const misplaced = (flag: string, problem: string): HermesError =>
  invalidParams(`${flag}: ${problem}`, [{ pointer: flag, problem }]);

const INSTANCES_MAX = 64;

function instancesOf(text: string): number {
  const instances = Number(text);
  if (Number.isInteger(instances) && instances >= 1 && instances <= INSTANCES_MAX) return instances;
  const problem = `has to be a whole number from 1 to ${INSTANCES_MAX}`;
  throw invalidParams(`--instances ${text}: ${problem}`, [{ pointer: '--instances', problem }]);
}
