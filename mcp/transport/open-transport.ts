import { type EmbeddedOptions, openEmbedded } from './embedded/index.js';
import { type NatsOptions, openNats } from './nats/index.js';
import { openSim, type SimControls, type SimOptions } from './sim/index.js';
import type { Transport } from './transport.js';

export type { OpenStoreOptions, ServiceDescription, Transport } from './transport.js';

/** What each kind of transport needs to open. */
export interface TransportOptions {
  readonly embedded: EmbeddedOptions;
  readonly nats: NatsOptions;
  readonly sim: SimOptions;
}

/** What each kind of transport is when it is open. */
export interface OpenTransports {
  readonly embedded: Transport;
  readonly nats: Transport;
  readonly sim: Transport & SimControls;
}

type Openers = { readonly [K in keyof TransportOptions]: (options: TransportOptions[K]) => Promise<OpenTransports[K]> };

const OPENERS: Openers = {
  embedded: openEmbedded,
  nats: openNats,
  sim: async (options) => openSim(options),
};

/** The only place that chooses a transport. @throws HermesError of the chosen one. */
export function openTransport<K extends keyof TransportOptions>(
  kind: K,
  options: TransportOptions[K],
): Promise<OpenTransports[K]> {
  const open: Openers[K] = OPENERS[kind];
  return open(options);
}
