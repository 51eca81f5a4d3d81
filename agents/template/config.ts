import { z } from 'zod';

/** What can be set about this agent: one schema, checked at once, the unit in the name and the reason beside it. */
const settings = z.strictObject({
  /** Reads of a device that answers take a fraction of it; one that is silent needs two time-outs to be sure of. */
  timeout_ms: z.number().int().min(500).max(60_000).default(5_000),
});

export type AgentConfig = z.output<typeof settings>;

/** @throws ZodError naming each setting that is wrong. */
export const agentConfig = (given: z.input<typeof settings> = {}): AgentConfig => settings.parse(given);
