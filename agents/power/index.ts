/** The power supply agent. */
export { defineAgent } from './manifest.js';
