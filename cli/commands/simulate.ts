import { Command } from 'commander';
import { systemClock } from '../../shared/clock.js';
import { loadConfig } from '../../shared/config.js';
import { systemRandom } from '../../shared/random.js';
import { startSimulators } from '../../simulators/index.js';
import { loadTopology, simulatedDevices, simulatedLinks } from '../../topology/index.js';
import { openLogger } from '../logging.js';
import { print, table } from '../output.js';
import { demoSite } from '../paths.js';
import { untilStopped } from '../until-stopped.js';

/** `hermes simulate [topology]`: the devices of a site as real Modbus TCP servers, apart from everything else. */
export function simulateCommand(): Command {
  return new Command('simulate')
    .description('run the simulated devices of a site')
    .argument('[topology]')
    .option('--port <port>', 'port of the control endpoint')
    .action(async (file: string | undefined, options: { port?: string }) => {
      const { values } = loadConfig({ topology: file, sim_port: options.port });
      const topology = loadTopology(values.topology ?? demoSite());
      const simulators = await startSimulators({
        clock: systemClock(),
        random: systemRandom(),
        logger: openLogger(values.log_level),
        devices: simulatedDevices(topology),
        links: simulatedLinks(topology).filter((link) => link !== 'smtp'),
        controlPort: values.sim_port,
      });
      const rows = Object.entries(simulators.links()).map(([link, { host, port }]) => [link, `${host}:${port}`]);
      print(`simulators of ${topology.site.id}: ${simulators.controlUrl}\n${table(rows)}`);
      await untilStopped(() => simulators.stop());
    });
}
