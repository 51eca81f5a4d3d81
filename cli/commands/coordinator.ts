import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { HermesError } from '../../shared/errors.js';
import { runCoordinator } from '../coordinator-process.js';

interface Options {
  readonly topology?: string;
  readonly nats?: string;
  readonly port?: string;
  readonly dataDir?: string;
  readonly simUrl?: string;
  readonly json?: boolean;
}

/** `hermes coordinator`: the coordinator, its HTTP side and page in a process of its own, over NATS. */
export function coordinatorCommand(): Command {
  return new Command('coordinator')
    .description('run the coordinator with its HTTP side in a process of its own, over NATS')
    .option('--nats <url>', 'NATS servers of the site; default HERMES_NATS_URL')
    .option('--topology <file>', 'site file; default: the demo site')
    .option('--port <port>', 'port of the HTTP side')
    .option('--data-dir <folder>', 'where its view and the master key are kept')
    .option('--sim-url <url>', 'control endpoint of the simulators, where devices are simulated')
    .option('--json', 'say as JSON where it serves')
    .action(async (options: Options) => {
      const { values } = loadConfig({
        nats_url: options.nats,
        topology: options.topology,
        http_port: options.port,
        data_dir: options.dataDir,
        sim_url: options.simUrl,
      });
      if (values.nats_url === undefined) throw noNetwork();
      await runCoordinator(values, { url: values.nats_url, json: options.json === true });
    });
}

const noNetwork = (): HermesError =>
  new HermesError('invalid_params', 'a coordinator in a process of its own needs a network', {
    fields: [{ pointer: '--nats', problem: 'missing: nats://host:4222' }],
    suggestion: 'bring up a whole site with a nats-server of its own: hermes up --nats',
  });
