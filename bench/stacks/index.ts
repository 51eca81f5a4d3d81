/** The stacks that are compared, by name. */
import { hermes, hermesEmbedded } from './hermes.js';
import { moleculer, moleculerTraced } from './moleculer.js';
import { mux } from './mux.js';
import type { Stack } from './stack.js';

export { type Client, type Question, questionOf, type Stack } from './stack.js';

export const STACKS: Readonly<Record<string, Stack>> = {
  mux,
  moleculer,
  'moleculer traced': moleculerTraced,
  hermes,
  'hermes embedded': hermesEmbedded,
};
