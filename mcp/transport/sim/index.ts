/**
 * The transport of the deterministic simulation: everything in memory, everything that waits on the injected clock.
 *
 * Invariants:
 *  1. Same seed and same calls, same order of deliveries, same sequences, same choice of queue members.
 *  2. A component holds its own doors; after `crash` they throw `instance_lost` and nothing of it is called again.
 *  3. A crash undoes what its stores had not synced; what the log has taken stays; an append on its way may be lost.
 *  4. Members of a crashed component expire; nobody says goodbye for them.
 */
export type { LatencyRange } from './latency.js';
export { createMemorySlot, type MemorySlot } from './memory-store.js';
export { openSim, type SimConnection, type SimControls, type SimOptions } from './open-sim.js';
