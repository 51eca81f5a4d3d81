import type { Goal } from '../../coordinator/index.js';
import { startTwin, type Topology, type Twin } from '../../topology/index.js';
import { demoTopology } from './demo-site.js';

/** A twin of the demo site that is spoken to: each sentence is a goal, waited for in virtual time. */
export async function twinTalk(topology: Topology = demoTopology()) {
  const twin: Twin = await startTwin(topology, { seed: 1 });
  const goal = async (text: string, more: Parameters<Twin['submit']>[1] = {}): Promise<Goal> => {
    const id = await twin.clock.run(twin.submit(text, more));
    return twin.clock.run(twin.settled(id, 120_000), 180_000);
  };
  return { ...twin, goal, close: () => twin.clock.run(twin.stop()) };
}

export type TwinTalk = Awaited<ReturnType<typeof twinTalk>>;

/** What a step of a goal answered. */
export const resultOf = (goal: Goal, step = 0): Readonly<Record<string, unknown>> =>
  (goal.plan.steps[step]?.result ?? {}) as Readonly<Record<string, unknown>>;
