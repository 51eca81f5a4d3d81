import { type Simulators, startSimulators } from '../simulators/index.js';
import { simulatedDevices, simulatedLinks } from '../topology/index.js';
import type { SiteProcess } from './site-process.js';

/** The simulated devices and mail receiver of a site, in this process. @throws HermesError: the port is taken. */
export const startSiteSimulators = ({
  topology,
  values,
  clock,
  random,
  logger,
}: Pick<SiteProcess, 'topology' | 'values' | 'clock' | 'random' | 'logger'>): Promise<Simulators> =>
  startSimulators({
    clock,
    random,
    logger,
    devices: simulatedDevices(topology),
    links: simulatedLinks(topology),
    controlPort: values.sim_port,
  });
