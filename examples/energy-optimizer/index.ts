/**
 * The energy optimiser: what a zone could save, and by which set-point. It reads and advises; who follows the advice
 * tells the agent of the floor.
 *  1. It reads and does no more: it needs no row in the topology and no grant.
 *  2. Devices are found by the facts of the site, never by name.
 *  3. Every saving is a rule of thumb with its source beside it; where the rule does not hold, it promises nothing.
 */
export { defineAgent } from './manifest.js';
