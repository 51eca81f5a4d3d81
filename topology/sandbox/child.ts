import type { AgentDefinition } from '../../agents/runtime/index.js';
import { closeProcess } from './guard.js';
import { type CasesWanted, runCases } from './run-cases.js';

/** The first thing the child does, before anything of an agent is loaded. */
const reached = closeProcess();

/** Takes one wish, answers once, and goes. */
export function serveCases(load: () => Promise<{ readonly defineAgent: (name: string) => AgentDefinition }>): void {
  process.once('message', (wanted: CasesWanted) => {
    void answer(wanted, load).then((message) => process.send?.(message, () => process.disconnect()));
  });
}

async function answer(wanted: CasesWanted, load: Parameters<typeof serveCases>[0]): Promise<object> {
  try {
    const { defineAgent } = await load();
    const reports = await runCases(wanted, defineAgent);
    return { reports, reached: [...new Set(reached())] };
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    return { failed, reached: [...new Set(reached())] };
  }
}
