/**
 * The agent sample_agent: what a device says of itself at one glance.
 *  1. It reads and does no more: it needs no row in the topology and no grant.
 *  2. Nothing is told that the device did not say; a point that is not good says why.
 *  3. A device's record belongs to the agent that serves it: nothing is remembered here.
 */
export { type AgentConfig, agentConfig } from './config.js';
export { defineAgent } from './manifest.js';
