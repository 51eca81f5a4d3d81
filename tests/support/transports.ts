import { embeddedFactory, faultySimFactory, simFactory, type TransportFactory } from './transport-harness.js';
import { natsFactory } from './transport-nats.js';

/** The contract suites run on each. */
export const TRANSPORTS: readonly TransportFactory[] = [embeddedFactory, simFactory, faultySimFactory, natsFactory()];
