import { afterEach, describe, expect, test } from 'vitest';
import { isFinal, type StoredEntry } from '../../../agents/runtime/index.js';
import type { Goal, GoalSubmission } from '../../../coordinator/index.js';
import { startTwin, type Twin } from '../../../topology/index.js';
import { linesTopology } from '../../support/demo-site.js';

const ADMIN = { id: 'tester', roles: ['admin'] };
const FULL = '查PLC-007状态，如果离线，重启它并通知张工';
const MINUTE = 60_000;

const twins: Twin[] = [];
async function site(seed = 1) {
  const twin = await startTwin(linesTopology(), { seed });
  twins.push(twin);
  const goals = () => twin.site().coordinator.goals;
  const run = <T>(work: Promise<T>, maxMs?: number): Promise<T> => twin.clock.run(work, maxMs);
  const submit = (goal: string, more: Partial<GoalSubmission> = {}, key?: string): Promise<Goal> =>
    run(goals().submit({ goal, ...more }, ADMIN, key));
  const done = (goalId: string, ms = 40 * MINUTE): Promise<Goal> => run(goals().settled(goalId, ms), ms + MINUTE);
  const restarts = () =>
    twin.world.frames().filter((frame) => frame.dir === 'in' && frame.fc === 6 && frame.address === 100).length;
  return { ...twin, twin, goals, run, submit, done, restarts };
}
afterEach(async () => {
  for (const twin of twins.splice(0)) await twin.clock.run(twin.stop());
});

describe('the idempotency key', () => {
  test('P19: same key and body is the same goal, another body a conflict, another person another goal', async () => {
    const { submit, goals, run } = await site();
    const first = await submit('查PLC-001状态', { priority: 3 }, 'k1');
    expect((await submit('查PLC-001状态', { priority: 3 }, 'k1')).goal_id).toBe(first.goal_id);
    await expect(submit('查PLC-002状态', { priority: 3 }, 'k1')).rejects.toMatchObject({
      reason: 'version_conflict',
      httpStatus: 409,
    });
    const other = await run(goals().submit({ goal: '查PLC-002状态' }, { id: 'li', roles: [] }, 'k1'));
    expect(other.goal_id).not.toBe(first.goal_id);
  });

  test('P19: a body is the same whatever the order of its fields', async () => {
    const { goals, run } = await site();
    const one = await run(goals().submit({ goal: '查PLC-001状态', priority: 3, timeout_ms: 9_000 }, ADMIN, 'k'));
    const two = await run(goals().submit({ timeout_ms: 9_000, priority: 3, goal: '查PLC-001状态' }, ADMIN, 'k'));
    expect(two.goal_id).toBe(one.goal_id);
  });

  test.each([undefined, 's-one'])(
    'P19: twenty at once make one goal and one restart (session %s)',
    async (session_id) => {
      const { goals, run, done, restarts, mail } = await site();
      const body = { goal: FULL, ...(session_id ? { session_id } : {}) };
      const made = await run(Promise.all(Array.from({ length: 20 }, () => goals().submit(body, ADMIN, 'k'))));
      expect(new Set(made.map((goal) => goal.goal_id)).size).toBe(1);
      expect((await done(made[0]?.goal_id as string)).state).toBe('completed');
      expect([restarts(), mail.sent.length]).toEqual([1, 1]);
      expect((await run(goals().list({ limit: 50 }))).goals).toHaveLength(1);
    },
  );

  test('P19: the key outlives a restart and ends after its day', async () => {
    const { submit, run, twin, done, clock } = await site();
    const first = await submit('查PLC-001状态', {}, 'k');
    await done(first.goal_id);
    twin.crash();
    await run(twin.restart());
    expect((await submit('查PLC-001状态', {}, 'k')).goal_id).toBe(first.goal_id);
    await clock.advance(25 * 60 * MINUTE);
    expect((await submit('查PLC-001状态', {}, 'k')).goal_id).not.toBe(first.goal_id);
  });
});

describe('cancel', () => {
  test('while it runs: the step is stopped and undone, the goal is cancelled, soon', async () => {
    const { submit, goals, run, clock, world } = await site();
    world.addFault({ device: 'PLC-007', kind: 'reboot_never_ends' } as never);
    const { goal_id } = await submit('重启PLC-007');
    await clock.advance(600);
    const from = clock.now();
    const goal = await run(goals().cancel(goal_id, ADMIN));
    expect(goal.state).toBe('cancelled');
    expect(goal.error?.data.reason).toBe('cancelled');
    expect(clock.now() - from).toBeLessThan(7_000);
  });

  test('while it waits for an answer, and once more: one end', async () => {
    const { submit, goals, run } = await site();
    const { goal_id, state } = await submit('查PLC-099状态');
    expect(state).toBe('paused');
    const first = await run(goals().cancel(goal_id, ADMIN));
    const again = await run(goals().cancel(goal_id, ADMIN));
    expect([first.state, again.state]).toEqual(['cancelled', 'cancelled']);
    expect(again.seq).toBe(first.seq);
    expect(first.answer?.text).toContain('取消');
  });

  test('of what is over changes nothing', async () => {
    const { submit, goals, run, done } = await site();
    const { goal_id } = await submit('查PLC-001状态');
    const before = await done(goal_id);
    expect(await run(goals().cancel(goal_id, ADMIN))).toEqual(before);
  });

  test('two at once leave one end', async () => {
    const { submit, goals, run } = await site();
    const { goal_id } = await submit('查PLC-099状态');
    await run(Promise.all([goals().cancel(goal_id, ADMIN), goals().cancel(goal_id, ADMIN)]));
    const entries = await run(goals().store.entries(goal_id, 1));
    expect(entries.filter((entry) => entry.data?.state === 'cancelled')).toHaveLength(1);
  });

  test('an unknown goal is a 404', async () => {
    const { goals, run } = await site();
    for (const id of ['g-aaaaaaaaaaaaaaaa', '../x', '', 'g-*']) {
      await expect(run(goals().cancel(id, ADMIN))).rejects.toMatchObject({ reason: 'not_found' });
    }
  });
});

describe('a question', () => {
  test('that nobody answers ends its goal after half an hour, not before', async () => {
    const { submit, goals, run, clock } = await site();
    const { goal_id } = await submit('查PLC-099状态');
    await clock.advance(29 * MINUTE);
    expect((await run(goals().get(goal_id))).state).toBe('paused');
    await clock.advance(2 * MINUTE);
    expect(await run(goals().get(goal_id))).toMatchObject({
      state: 'cancelled',
      error: { data: { reason: 'prompt_expired' } },
    });
  });

  test('is still open after a restart, and its time goes on', async () => {
    const { submit, goals, run, clock, twin } = await site();
    const { goal_id } = await submit('查PLC-099状态');
    await clock.advance(20 * MINUTE);
    twin.crash();
    await run(twin.restart());
    const goal = await run(goals().get(goal_id));
    expect(goal).toMatchObject({ state: 'paused', prompt: { reason: 'unknown_entity' } });
    await clock.advance(11 * MINUTE);
    expect((await run(goals().get(goal_id))).state).toBe('cancelled');
  });

  test('leaves no timer behind when the site stops', async () => {
    const { submit, run, clock, twin } = await site();
    await submit('查PLC-099状态');
    twins.splice(twins.indexOf(twin), 1);
    await run(twin.stop());
    await clock.advance(MINUTE);
    expect(clock.pending).toBe(0);
  });
});

describe('watching', () => {
  const collect = async (from: AsyncIterable<StoredEntry>, most = 1_000): Promise<number[]> => {
    const seen: number[] = [];
    for await (const entry of from) {
      seen.push(entry.n);
      if (seen.length >= most) break;
    }
    return seen;
  };
  const never = () => new AbortController().signal;

  test('B18: cut anywhere and resumed at the last seen, nothing is lost or doubled', async () => {
    const { submit, goals, run, done } = await site();
    const { goal_id } = await submit(FULL);
    const live = run(collect(goals().watch(goal_id, 1, never())));
    const whole = await live;
    await done(goal_id);
    expect(whole).toEqual(Array.from({ length: whole.length }, (_, n) => n + 1));
    for (let cut = 1; cut < whole.length; cut++) {
      const before = await run(collect(goals().watch(goal_id, 1, never()), cut));
      const after = await run(collect(goals().watch(goal_id, cut + 1, never())));
      expect([...before, ...after], `cut at ${cut}`).toEqual(whole);
    }
  });

  test('B18: a cursor at or beyond the end of a goal that is over ends at once', async () => {
    const { submit, goals, run, done } = await site();
    const { goal_id } = await submit('查PLC-001状态');
    const { seq } = await done(goal_id);
    for (const from of [seq + 1, seq + 2, seq + 1_000, Number.MAX_SAFE_INTEGER]) {
      expect(await run(collect(goals().watch(goal_id, from, never())), MINUTE), String(from)).toEqual([]);
    }
  });

  test('B18: while the goal runs, a cursor in the future waits for its place', async () => {
    const { submit, goals, run } = await site();
    const { goal_id } = await submit(FULL);
    const [seen, whole] = await run(
      Promise.all([collect(goals().watch(goal_id, 4, never())), collect(goals().watch(goal_id, 1, never()))]),
    );
    expect(seen).toEqual(whole.slice(3));
  });

  test('a reader that goes away leaves nothing', async () => {
    const { submit, goals, run } = await site();
    const { goal_id } = await submit('查PLC-099状态');
    const gone = new AbortController();
    const watching = collect(goals().watch(goal_id, 1, gone.signal));
    gone.abort();
    await expect(run(watching)).resolves.toBeInstanceOf(Array);
  });
});

describe('a restart in the middle', () => {
  test('P13: wherever it falls, the goal ends as it would have, with one restart and one mail', {
    timeout: 60_000,
  }, async () => {
    for (let ms = 0; ms <= 9_000; ms += ms < 60 ? 3 : ms < 400 ? 40 : 700) {
      const { submit, run, twin, clock, done, restarts, mail } = await site(ms + 1);
      const { goal_id } = await submit(FULL);
      await clock.advance(ms);
      twin.crash();
      await clock.advance(300);
      await run(twin.restart());
      const goal = await done(goal_id);
      expect(isFinal(goal.state), `${ms} ms: ${goal.state}`).toBe(true);
      expect(goal.answer?.text, `${ms} ms`).toBeTruthy();
      expect(restarts(), `${ms} ms`).toBeLessThanOrEqual(1);
      expect(mail.sent.length, `${ms} ms`).toBeLessThanOrEqual(1);
      const unclear = goal.plan.steps.some((step) => step.state === 'unknown' || step.state === 'failed');
      if (!unclear) expect(goal.state, `${ms} ms`).toBe('completed');
      await clock.run(twin.stop());
      twins.splice(twins.indexOf(twin), 1);
    }
  });

  test('P13: a goal that was accepted and not yet paused asks its question after the restart', async () => {
    const { goals, run, twin, clock } = await site();
    const { store } = goals();
    await run(
      store.create(
        'g-bbbbbbbbbbbbbbbb' as never,
        {
          type: 'accepted',
          goal: '查PLC-099状态',
          session_id: 's-one',
          trace_id: 'a'.repeat(32),
          principal: ADMIN,
          priority: 5,
          understanding: {
            outcome: 'ask',
            language: 'zh',
            understood: '',
            actions: [],
            placed_by: 'rules',
            stack: ['IDLE'],
          },
        },
        { principal: ADMIN, session_context_id: 's-one' },
      ),
    );
    twin.crash();
    await clock.advance(300);
    await run(twin.restart());
    await clock.advance(1_000);
    const goal = await run(goals().get('g-bbbbbbbbbbbbbbbb'));
    expect(goal).toMatchObject({ state: 'paused', prompt: { reason: 'unknown_entity' } });
    expect(await run(goals().session('s-one'))).toMatchObject({
      state: 'paused',
      prompt: { reason: 'unknown_entity' },
    });
  });
});

describe('lists', () => {
  test('filter by state, session and device; pages neither lose nor double, also within one instant', async () => {
    const { goals, run, submit, done } = await site();
    const made = await run(
      Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          goals().submit({ goal: `查PLC-00${1 + (n % 3)}状态`, session_id: `s-${n % 2}` }, ADMIN),
        ),
      ),
    );
    const asking = await submit('查PLC-099状态');
    for (const goal of made) await done(goal.goal_id);
    const ids = (found: { goals: Goal[] }) => found.goals.map((goal) => goal.goal_id);
    expect(ids(await run(goals().list({ state: 'paused', limit: 50 })))).toEqual([asking.goal_id]);
    expect(await run(goals().list({ session: 's-1', limit: 50 }))).toMatchObject({ goals: { length: 6 } });
    expect(await run(goals().list({ device: 'PLC-002', limit: 50 }))).toMatchObject({ goals: { length: 4 } });
    for (const limit of [1, 2, 5, 50]) {
      const seen: string[] = [];
      let before: string | undefined;
      for (let page = 0; page < 30; page++) {
        const found = await run(goals().list({ limit, ...(before === undefined ? {} : { before }) }));
        seen.push(...ids(found));
        before = found.next;
        if (before === undefined) break;
      }
      expect(seen.length, `pages of ${limit}`).toBe(13);
      expect(new Set(seen).size).toBe(13);
    }
  });
});
