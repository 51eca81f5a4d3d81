import { fileURLToPath } from 'node:url';
import { loadTopology, type Topology } from '../../topology/index.js';

export const demoTopology = (): Topology =>
  loadTopology(fileURLToPath(new URL('../../topology/sites/x-lab.yaml', import.meta.url)));

/** The production lines of the demo site without its building: enough for what goals are about, and started sooner. */
export function linesTopology(): Topology {
  const site = demoTopology();
  return {
    ...site,
    links: site.links.filter(({ id }) => id.startsWith('line-')),
    devices: site.devices.filter(({ kind }) => kind === 'plc').map(({ powered_by: _powered, ...device }) => device),
    agents: site.agents.filter(({ kind }) => kind === 'plc' || kind === 'scheduling'),
    playbooks: [],
  };
}
