import { z } from 'zod';
import type { AgentDefinition, TestCase, Tool, ToolContext } from '../../../agents/runtime/index.js';

const input = z.strictObject({});
const output = z.object({ done: z.boolean() });

/** A read that says that it did what it reached for, whatever became of it. */
export const reach = (reaching: (ctx: ToolContext) => unknown) => ({
  name: 'reach',
  version: '1.0.0',
  description: 'reaches for more than it has, for tests',
  input,
  output,
  effect_class: 'read' as const,
  risk: 'low' as const,
  timeout_ms: 2_000,
  async execute(ctx: ToolContext) {
    await Promise.resolve()
      .then(() => reaching(ctx))
      .catch(() => undefined);
    return { done: true };
  },
  rollback: { none: 'for tests' },
  test_cases: [{ name: 'reaches', input: {}, expect: { outcome: 'ok', effects: [] } }] satisfies TestCase[],
});

export const agentWith = (name: string, tool: Tool): AgentDefinition => ({
  name,
  version: '1.0',
  description: { zh: '越界', en: 'reaches out' },
  tools: [tool],
});
