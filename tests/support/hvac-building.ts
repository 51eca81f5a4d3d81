import { expect } from 'vitest';
import type { Diagnosis } from '../../agents/hvac/diagnosis/diagnosis.js';
import { scopes } from '../../agents/runtime/index.js';
import type { Goal } from '../../coordinator/index.js';
import { startTwin } from '../../topology/index.js';
import { demoTopology } from './demo-site.js';

export const MINUTE = 60_000;
const TESTER = { id: 'tester', roles: ['admin'] };

/** The demo building with all its agents, in virtual time. */
export async function startBuilding(seed = 1) {
  const twin = await startTwin(demoTopology(), { seed });
  const { world, clock, site } = twin;
  const goal = async (text: string): Promise<Goal> => {
    const id = await clock.run(twin.submit(text));
    return clock.run(twin.settled(id, 120_000), 180_000);
  };
  return {
    world,
    clock,
    goal,
    stop: () => clock.run(twin.stop()),
    /** The result of the first step. */
    result: async <T>(text: string): Promise<T> => {
      const ended = await goal(text);
      expect(ended.error).toBeUndefined();
      return ended.plan.steps[0]?.result as T;
    },
    /** A call past the sentences: its result, or what was thrown. */
    call: (callee: string, method: string, params: Record<string, unknown>): Promise<unknown> => {
      const { caller } = site().coordinator.agent.cell;
      const deadlineAt = clock.now() + 10_000;
      return clock
        .run(caller.call({ callee, method, params, deadlineAt, principal: TESTER }))
        .then(({ response }) => response.result)
        .catch((error: unknown) => error);
    },
    point: (device: string, name: string) => world.device(device).points.find((point) => point.name === name)?.value,
    /** Single registers that were written at address 0: set-points of boxes. */
    written: (device: string) =>
      world.frames({ device }).filter(({ dir, fc, address }) => dir === 'in' && fc === 6 && address === 0),
    async entries(agent: string, zone: string) {
      const view = site().agents.get(agent)?.cell.view;
      return clock.run(view?.entries(scopes.zone(zone)) ?? Promise.resolve([]));
    },
  };
}

export type Building = Awaited<ReturnType<typeof startBuilding>>;

export const faultsOf = (found: Diagnosis): string[] =>
  found.findings.map(({ device_id, fault }) => `${fault} ${device_id}`);
