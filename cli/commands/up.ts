import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { LIMITS } from '../../shared/limits.js';
import { print } from '../output.js';
import { openSiteProcess } from '../site-process.js';
import { untilStopped } from '../until-stopped.js';
import { upEmbedded } from '../up-embedded.js';
import { upNats } from '../up-nats.js';

interface Options {
  readonly simulators: boolean;
  readonly nats?: string | true;
  readonly port?: string;
  readonly simPort?: string;
  readonly dataDir?: string;
}

/** Processes stop at the same time, then the nats-server that served them. */
const STOP_ALL_MS = LIMITS.stopMs * 2.5;

/** `hermes up [topology]`: a whole site: simulated devices, agents, coordinator, page; in one process or over NATS. */
export function upCommand(): Command {
  return new Command('up')
    .description('bring up a site: devices, agents, coordinator, page')
    .argument('[topology]', 'site file; default: the demo site')
    .option('--nats [url]', 'each agent a process of its own, over NATS; without a URL it starts a nats-server')
    .option('--no-simulators', 'the devices are elsewhere')
    .option('--port <port>', 'port of the HTTP side')
    .option('--sim-port <port>', 'port of the simulators’ control endpoint')
    .option('--data-dir <folder>', 'where the record is kept')
    .action(async (file: string | undefined, options: Options) => {
      const { values } = loadConfig({
        topology: file,
        nats_url: typeof options.nats === 'string' ? options.nats : undefined,
        http_port: options.port,
        sim_port: options.simPort,
        data_dir: options.dataDir,
      });
      const own = openSiteProcess(values);
      const url = options.nats === true ? undefined : values.nats_url;
      const overNats = options.nats !== undefined || values.nats_url !== undefined;
      const running = overNats
        ? await upNats(own, { simulators: options.simulators, ...(url === undefined ? {} : { url }) })
        : await upEmbedded(own, options.simulators);
      print(running.banner);
      await untilStopped(() => running.stop(), overNats ? STOP_ALL_MS : LIMITS.stopMs);
    });
}
