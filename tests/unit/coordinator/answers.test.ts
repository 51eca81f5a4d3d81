import { afterEach, describe, expect, test } from 'vitest';
import type { GoalSubmission } from '../../../coordinator/index.js';
import { startTwin, type Twin } from '../../../topology/index.js';
import { demoTopology } from '../../support/demo-site.js';

const ADMIN = { id: 'tester', roles: ['admin'] };
const MINUTE = 60_000;
const session_id = 's-one';

const twins: Twin[] = [];
async function asked(more: Partial<GoalSubmission> = {}) {
  const twin = await startTwin(demoTopology(), { seed: 1 });
  twins.push(twin);
  const goals = () => twin.site().coordinator.goals;
  const run = <T>(work: Promise<T>): Promise<T> => twin.clock.run(work);
  const question = await run(goals().submit({ goal: '查PLC-099状态', session_id, ...more }, ADMIN));
  expect(question.state).toBe('paused');
  const say = (text: string, key?: string) => run(goals().submit({ goal: text, session_id }, ADMIN, key));
  const end = (goalId: string) => run(goals().settled(goalId, 5 * MINUTE));
  const all = async () => (await run(goals().list({ limit: 50 }))).goals;
  return { twin, clock: twin.clock, goals, run, question, say, end, all };
}
afterEach(async () => {
  for (const twin of twins.splice(0)) await twin.clock.run(twin.stop());
});

describe('an answer to a question', () => {
  test('in its session goes on with the same goal', async () => {
    const { question, say, end, all } = await asked();
    const answered = await say('PLC-001');
    expect(answered.goal_id).toBe(question.goal_id);
    expect(await end(question.goal_id)).toMatchObject({
      state: 'completed',
      plan: { steps: [{ params: { device_id: 'PLC-001' } }] },
    });
    expect(await all()).toHaveLength(1);
  });

  test('after a restart too', async () => {
    const { question, say, end, twin, run } = await asked();
    twin.crash();
    await run(twin.restart());
    expect((await say('PLC-001')).goal_id).toBe(question.goal_id);
    expect((await end(question.goal_id)).state).toBe('completed');
  });

  test('that comes late still has the whole time of the goal: its clock stood still', async () => {
    const { question, say, end, clock } = await asked({ timeout_ms: 5_000 });
    await clock.advance(20 * MINUTE);
    await say('PLC-001');
    expect((await end(question.goal_id)).state).toBe('completed');
  });

  test('P19: given twice under one key is one answer', async () => {
    const { question, say, end, all } = await asked();
    const first = await say('PLC-001', 'k');
    await end(question.goal_id);
    const again = await say('PLC-001', 'k');
    expect([first.goal_id, again.goal_id]).toEqual([question.goal_id, question.goal_id]);
    expect(await all()).toHaveLength(1);
    await expect(say('PLC-002', 'k')).rejects.toMatchObject({ reason: 'version_conflict' });
  });

  test('P19: written and cut off before the goal heard of it, it is given again', async () => {
    const { question, say, end, goals, run, twin, clock } = await asked();
    const { goalIdOf, bodyHash } = await import('../../../coordinator/goals/idempotency.js');
    const folded = await run(goals().store.get(question.goal_id));
    const paused_at = Number(folded.pausedAt);
    const body_hash = bodyHash({ goal: 'PLC-001', session_id });
    const key = goalIdOf('default', ADMIN.id, 'k', 0);
    const event = { type: 'answered', goal_id: question.goal_id, paused_at, body_hash } as const;
    await run(goals().store.create(key, event, { principal: ADMIN }));
    twin.crash();
    await clock.advance(300);
    await run(twin.restart());
    expect((await say('PLC-001', 'k')).goal_id).toBe(question.goal_id);
    expect((await end(question.goal_id)).state).toBe('completed');
  });

  test('P19: given twenty times at once under one key is one answer', async () => {
    const { question, goals, run, end, all } = await asked();
    const made = await run(
      Promise.all(Array.from({ length: 20 }, () => goals().submit({ goal: 'PLC-001', session_id }, ADMIN, 'k'))),
    );
    expect(new Set(made.map((goal) => goal.goal_id))).toEqual(new Set([question.goal_id]));
    expect((await end(question.goal_id)).state).toBe('completed');
    expect(await all()).toHaveLength(1);
  });

  test('that is no answer is a goal of its own, and nobody waits for the question any more', async () => {
    const { question, say, end, goals, run } = await asked();
    const other = await say('查PLC-002状态');
    expect(other.goal_id).not.toBe(question.goal_id);
    expect((await end(other.goal_id)).state).toBe('completed');
    expect((await run(goals().get(question.goal_id))).state).toBe('cancelled');
  });

  test('that leads to another question has its own half hour', async () => {
    const { question, say, goals, run, clock } = await asked();
    await clock.advance(20 * MINUTE);
    const again = await say('PLC-098');
    if (again.goal_id !== question.goal_id || again.state !== 'paused') return;
    await clock.advance(20 * MINUTE);
    expect((await run(goals().get(question.goal_id))).state).toBe('paused');
    await clock.advance(11 * MINUTE);
    expect((await run(goals().get(question.goal_id))).state).toBe('cancelled');
  });

  test('that comes after the question has expired starts afresh', async () => {
    const { question, say, goals, run, clock } = await asked();
    await clock.advance(31 * MINUTE);
    const late = await say('查PLC-001状态');
    expect(late.goal_id).not.toBe(question.goal_id);
    expect((await run(goals().get(question.goal_id))).state).toBe('cancelled');
  });
});
