/**
 * The power supply agent.
 *  1. It reads and moves nothing.
 *  2. The supply is called the cause only by what a breaker or a meter said in every look; what did not answer makes
 *     the verdict unknown, not good.
 *  3. Of several faults the uppermost stands first, and what it explains is muted with the reason.
 */
export { defineAgent } from './manifest.js';
