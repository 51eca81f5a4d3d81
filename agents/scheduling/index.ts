/** The maintenance scheduling agent. 1. A mail goes out once a request; what the server took cannot be unsent. */
export { defineAgent } from './manifest.js';
