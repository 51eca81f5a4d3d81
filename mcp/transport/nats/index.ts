/**
 * The transport of many processes: bus over core NATS, log over a JetStream stream, liveness over a KV bucket.
 *
 * Invariants:
 *  1. Three connections a process: calls, JetStream, liveness; what is captured for the journal never mixes with them.
 *  2. Every subscription callback is wrapped: a throw inside one would silently end the client's read loop.
 *  3. Connections come back for ever, with every subscription; nothing relies on the client's buffer.
 *  4. The stream's leader decides every compare-and-swap and answers every read of a last record.
 *  5. A consumer that stalls is replaced from the last record on.
 *  6. A busy main loop is not death: renewals come from a thread. An election kills nobody.
 */
export { type InitStreamsOptions, initNatsStreams } from './init-streams.js';
export type { NatsOptions } from './nats-options.js';
export { type NatsUser, natsUser } from './nats-user.js';
export { openNats } from './open-nats.js';
export { type NatsPermissions, type NatsRole, natsPermissions } from './permissions.js';
