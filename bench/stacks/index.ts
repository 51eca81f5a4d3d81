/** The stacks that are compared, by name. */
import { recordedWrite, recordedWriteEmbedded, workersStack } from './agent.js';
import { appends, appendsEmbedded } from './appends.js';
import { hermes, hermesEmbedded } from './hermes.js';
import { moleculer, moleculerTraced } from './moleculer.js';
import { mux } from './mux.js';
import type { Stack } from './stack.js';

export { LINKS_PER_WORKER } from './agent.js';
export { doors } from './doors.js';
export { type Client, type Question, questionOf, type Stack } from './stack.js';

/** Numbers of workers that are compared. */
export const WORKERS = [1, 2, 4, 8] as const;

/** A claim and an end as a recorded write of the bench leaves them. */
const ENTRY_BYTES = [645, 1_006] as const;

export const STACKS: Readonly<Record<string, Stack>> = {
  mux,
  moleculer,
  'moleculer traced': moleculerTraced,
  hermes,
  'hermes embedded': hermesEmbedded,
  'recorded write': recordedWrite,
  'recorded write embedded': recordedWriteEmbedded,
  'two appends': appends(ENTRY_BYTES),
  'two appends embedded': appendsEmbedded(ENTRY_BYTES),
  ...Object.fromEntries(WORKERS.map((workers) => [`workers ${workers}`, workersStack(workers)])),
};
