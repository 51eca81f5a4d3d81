import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { times } from '../support/full-counts.js';
import { type GoalView, inParallel, type ProcessSite, startProcessSite, ZH_GOAL } from '../support/process-site.js';

/** Acceptance: real processes over a real nats-server share the work, come, go and die. */
let site: ProcessSite;
let workers: Awaited<ReturnType<ProcessSite['agent']>>[];
beforeAll(async () => {
  site = await startProcessSite();
  await site.coordinator();
  const started = [site.agent('plc_controller'), site.agent('plc_controller')];
  [workers] = await Promise.all([Promise.all(started), site.agent('maintenance_scheduling_agent')]);
}, 150_000);
afterAll(() => site.stop());

const SHARED = times(240, 120);
const plc = (index: number): string => `PLC-${String((index % 12) + 1).padStart(3, '0')}`;
let ended = 0;
const statusGoals = async (count: number): Promise<GoalView[]> => {
  ended = 0;
  const texts = Array.from({ length: count }, (_, index) => `查${plc(index)}状态`);
  return inParallel(texts, 8, async (text) => {
    const goal = await site.ended((await site.submit(text)).goal_id);
    ended++;
    return goal;
  });
};

interface Entry {
  readonly kind: string;
  readonly message: { readonly served_by?: string };
}
/** Who served each goal, as the journal has it. */
async function servedBy(goals: readonly GoalView[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await inParallel(goals, 8, async ({ trace_id }) => {
    const { entries } = await site.get<{ entries: Entry[] }>(`/v1/journal?trace_id=${trace_id}`);
    for (const { kind, message } of entries) {
      if (kind === 'reply' && message.served_by) counts[message.served_by] = (counts[message.served_by] ?? 0) + 1;
    }
  });
  return counts;
}

const expectCompleted = (goals: readonly GoalView[]): void => {
  const others = goals
    .filter(({ state }) => state !== 'completed')
    .map(({ goal, state, error }) => ({ goal, state, error }));
  expect(others).toEqual([]);
};

describe('processes over NATS', () => {
  test('do the goal of day one, each step in the process of its agent', async () => {
    const goal = await site.ended((await site.submit(ZH_GOAL)).goal_id);
    expect([goal.state, ...goal.plan.steps.map(({ method, state }) => `${method} ${state}`)]).toEqual([
      'completed',
      ...['get_device_status completed', 'restart_device completed', 'notify completed'],
    ]);
    expect(goal.plan.steps.at(-1)?.served_by).toMatch(/^maintenance_scheduling_agent-/);
  });

  test(`share ${SHARED} goals over all PLCs: each of two workers serves at least 30 %`, {
    timeout: 180_000,
  }, async () => {
    const goals = await statusGoals(SHARED);
    expectCompleted(goals);
    const served = await servedBy(goals);
    const shares = workers.map(({ instance }) => (served[instance] ?? 0) / goals.length);
    expect(Math.min(...shares), JSON.stringify(served)).toBeGreaterThanOrEqual(0.3);
  });

  test('a third worker takes its share', { timeout: 180_000 }, async () => {
    const third = await site.agent('plc_controller');
    workers.push(third);
    // Its first link is handed over to it, drained.
    const serves = async (): Promise<number> => (await servedBy(await statusGoals(12)))[third.instance] ?? 0;
    await expect.poll(serves, { timeout: 60_000 }).toBeGreaterThan(0);
    const goals = await statusGoals(times(72, 48));
    expectCompleted(goals);
    const served = await servedBy(goals);
    expect((served[third.instance] ?? 0) / goals.length, JSON.stringify(served)).toBeGreaterThanOrEqual(0.15);
  });

  test('kill -9 of a worker in the middle loses no goal', { timeout: 180_000 }, async () => {
    const goals = statusGoals(times(72, 48));
    await vi.waitFor(() => expect(ended).toBeGreaterThan(15), 60_000);
    expect(await workers[0]?.kill('SIGKILL')).toBe('SIGKILL');
    expectCompleted(await goals);
  });

  test('a rolling upgrade loses nothing: 1.3 beside 1.2, then alone', { timeout: 180_000 }, async () => {
    const next = await site.agent('plc_controller', '--module', 'tests/support/plc-next-minor');
    const mixed = statusGoals(times(48, 24));
    await vi.waitFor(() => expect(ended).toBeGreaterThan(8), 60_000);
    const left = await Promise.all(workers.slice(1).map((one) => one.kill('SIGTERM')));
    expect(left).toEqual([0, 0]);
    expectCompleted(await mixed);
    const after = await statusGoals(12);
    expectCompleted(after);
    expect(Object.keys(await servedBy(after))).toEqual([next.instance]);
    const { version } = await site.get<{ version: string }>('/v1/agents/plc_controller');
    expect(version).toBe('1.3');
  });

  test('nothing was left unhandled', () => {
    expect(site.output()).not.toMatch(/unhandled|UnhandledPromise/i);
  });
});
