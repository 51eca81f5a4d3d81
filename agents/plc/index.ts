/** The PLC agent. 1. Nothing is reported that the device did not say. 2. No restart past an emergency stop. */
export { defineAgent } from './manifest.js';
