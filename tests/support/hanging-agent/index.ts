import { z } from 'zod';
import { type AgentDefinition, defineTool } from '../../../agents/runtime/index.js';

/** An agent with a read that never ends, whatever becomes of its deadline, and one that ends at once. */
export const defineAgent = (name: string): AgentDefinition => ({
  name,
  version: '1.0',
  description: { zh: '挂起', en: 'hangs' },
  tools: [read('hang', () => new Promise(() => undefined)), read('answer', async () => undefined)],
});

const read = (name: string, preflight: () => Promise<void>) =>
  defineTool({
    name,
    version: '1.0.0',
    description: 'for tests',
    input: z.strictObject({}),
    output: z.object({ done: z.boolean() }),
    side_effects: [],
    effect_class: 'read',
    risk: 'low',
    timeout_ms: 1_000,
    preflight,
    execute: async () => ({ done: true }),
    rollback: { none: 'a read changes nothing' },
  });
