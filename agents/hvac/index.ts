/**
 * The agent of a floor's air.
 *  1. Nothing is reported that a device did not say; what is missing is null or skipped, with the reason.
 *  2. A finding holds in every look, names its rule and shows its evidence; what another finding explains is muted.
 *  3. A set-point is in range, taken by every device of the zone and read back, or taken back by all.
 */
export { defineAgent } from './manifest.js';
