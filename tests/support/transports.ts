import { clusterFactory } from './transport-cluster.js';
import { embeddedFactory, faultySimFactory, simFactory, type TransportFactory } from './transport-harness.js';
import { natsFactory } from './transport-nats.js';

/**
 * The contract suites run on each; with `HERMES_FULL_COUNTS=1` on a cluster of three too, which takes minutes.
 * @param kills whether leaders die by SIGKILL while the suite runs on the cluster.
 */
export const transports = ({ kills }: { readonly kills: boolean }): readonly TransportFactory[] => [
  embeddedFactory,
  simFactory,
  faultySimFactory,
  natsFactory(),
  ...(process.env.HERMES_FULL_COUNTS === '1' ? [clusterFactory({ kills })] : []),
];
