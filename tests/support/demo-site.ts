import { fileURLToPath } from 'node:url';
import { loadTopology, type Topology } from '../../topology/index.js';

export const demoTopology = (): Topology =>
  loadTopology(fileURLToPath(new URL('../../topology/sites/x-lab.yaml', import.meta.url)));
