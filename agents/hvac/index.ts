/** The agent of a floor's air. */
export { defineAgent } from './manifest.js';
