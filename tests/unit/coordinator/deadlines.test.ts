import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PlanStep } from '../../../agents/runtime/index.js';
import { createApprovalDesk } from '../../../coordinator/goals/approval-desk.js';
import { checkMeetable, stepDeadline } from '../../../coordinator/goals/deadlines.js';
import { createGoalRun } from '../../../coordinator/goals/goal-run.js';
import { createPlanner } from '../../../coordinator/planner/planner.js';
import { LIMITS } from '../../../shared/limits.js';
import { silentLogger } from '../../../shared/telemetry/logger.js';
import { startTwin } from '../../../topology/index.js';
import { demoTopology } from '../../support/demo-site.js';

const step = (timeout_ms: number): PlanStep => ({ timeout_ms }) as PlanStep;
const now = 1_000_000;

describe('the deadline of a step', () => {
  test('lies between now and the goal’s, and leaves each later step its time-out or an equal share', () => {
    const ms = fc.integer({ min: 1, max: 600_000 });
    fc.assert(
      fc.property(
        ms,
        fc.array(ms, { maxLength: 10 }),
        fc.integer({ min: -1_000, max: 3_600_000 }),
        fc.nat(10),
        (own, later, left, attempts) => {
          const at = stepDeadline(step(own), later.map(step), now + left, now, attempts);
          const available = Math.max(0, left);
          expect(at).toBeGreaterThanOrEqual(now);
          expect(at).toBeLessThanOrEqual(now + available);
          expect(at - now).toBeLessThanOrEqual(own * Math.max(1, attempts));
          const share = available / (later.length + 1);
          expect(at - now).toBeGreaterThanOrEqual(Math.min(own * Math.max(1, attempts), share) - 1e-6);
          const reserved = later.reduce((sum, one) => sum + one, 0);
          const rest = available - (at - now);
          expect(rest).toBeGreaterThanOrEqual(Math.min(reserved, share * later.length) - 1e-6);
        },
      ),
    );
  });

  test('a deadline too near to begin is refused', () => {
    expect(() => checkMeetable(now + LIMITS.goalTimeoutMinMs, now)).not.toThrow();
    for (const left of [LIMITS.goalTimeoutMinMs - 1, 0, -5_000]) {
      expect(() => checkMeetable(now + left, now)).toThrow(/away/);
    }
  });
});

test('the clock of a goal stands still while it waits for a person', async () => {
  const topology = demoTopology();
  const twin = await startTwin(topology, { seed: 1 });
  const { coordinator } = twin.site();
  const { cell } = coordinator.agent;
  const { discovery, goals } = coordinator;
  const submitted = goals.submit({ goal: '查PLC-099状态', timeout_ms: 5_000 }, { id: 'tester', roles: ['admin'] });
  const { goal_id } = await twin.clock.run(submitted);
  const before = await twin.clock.run(goals.get(goal_id));
  await twin.clock.advance(10 * 60_000);
  const planner = createPlanner({
    discovery,
    site: cell.policy.site,
    logger: silentLogger(),
    self: 'production_coordinator',
    playbooks: [],
  });
  const { understanding } = planner.understand('查PLC-001状态', undefined, {});
  const desk = createApprovalDesk(cell, goals.store);
  const run = createGoalRun({ cell, store: goals.store, discovery, planner, desk }, goal_id as never);
  await twin.clock.run(run.execute(understanding));
  const after = await twin.clock.run(goals.get(goal_id));
  expect(after.state).toBe('completed');
  expect(Number(after.deadline_unix_ms) - Number(before.deadline_unix_ms)).toBeGreaterThanOrEqual(10 * 60_000);
  expect(Number(after.deadline_unix_ms) - Number(before.deadline_unix_ms)).toBeLessThan(10 * 60_000 + 100);
  await twin.clock.run(twin.stop());
});
