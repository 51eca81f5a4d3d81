import { afterEach, expect, test } from 'vitest';
import { type ApprovalGrant, grantOf } from '../../../agents/runtime/index.js';
import type { Decider } from '../../../coordinator/goals/approval-desk.js';
import type { Goal } from '../../../coordinator/index.js';
import { HermesError } from '../../../shared/errors.js';
import { parseTopology } from '../../../topology/load.js';
import { demoTopology } from '../../support/demo-site.js';
import { testSigning } from '../../support/test-signing.js';
import { type TwinTalk, twinTalk } from '../../support/twin-talk.js';

/** Approvals in virtual time: what becomes of them when nobody comes, when the process dies, when somebody cheats. */
let twin: TwinTalk;
afterEach(() => twin?.close());

const HOUR = 3_600_000;
const STOP = '把PLC-003切换到停止模式';
const chen: Decider = { principal: { id: 'chen', roles: ['admin'] }, auth: 'none' };
const port = () => twin.site().coordinator.goals;
const decide = (goal: Goal, decision: 'approve' | 'reject') =>
  twin.clock.run(port().decide(String(goal.approvals.at(-1)?.approval_id), decision, chen));
const now = (goal: Goal): Promise<Goal> => twin.clock.run(port().get(goal.goal_id));
const ended = (goal: Goal): Promise<Goal> => twin.clock.run(port().settled(goal.goal_id, 60_000), 120_000);
const writes = () =>
  twin.world.frames({ device: 'PLC-003' }).filter(({ dir, fc, address }) => dir === 'in' && fc === 6 && address === 10);

test('nobody decides: after a day it is rejected by the system, and nothing was written', async () => {
  twin = await twinTalk();
  const goal = await twin.goal(STOP);
  await twin.clock.advance(24 * HOUR - 10_000);
  expect((await now(goal)).state).toBe('paused');
  await twin.clock.advance(20_000);
  const over = await ended(goal);
  expect([over.state, over.approvals[0]?.decision, over.approvals[0]?.decided_by]).toEqual([
    'failed',
    'reject',
    'system:hitl-timeout',
  ]);
  expect(writes()).toEqual([]);
});

test('renewed, the time to decide begins anew', async () => {
  twin = await twinTalk();
  const goal = await twin.goal(STOP);
  await twin.clock.advance(23 * HOUR);
  const renewed = await twin.clock.run(port().renew(String(goal.approvals[0]?.approval_id), chen));
  expect(renewed.expires_at).toBeGreaterThan(goal.approvals[0]?.expires_at ?? 0);
  await twin.clock.advance(20 * HOUR);
  expect((await now(goal)).state).toBe('paused');
  await decide(goal, 'approve');
  expect((await ended(goal)).state).toBe('completed');
  expect(writes()).toHaveLength(1);
});

test('the clock of a goal stands still while it waits; the time left is what it was', async () => {
  twin = await twinTalk();
  const goal = await twin.goal(STOP, { timeout_ms: 30_000 });
  await twin.clock.advance(3 * HOUR);
  await decide(goal, 'approve');
  const done = await ended(goal);
  expect(done.state).toBe('completed');
  const moved = Number(done.deadline_unix_ms) - Number(goal.deadline_unix_ms);
  expect(moved).toBeGreaterThanOrEqual(3 * HOUR);
  expect(moved).toBeLessThan(3 * HOUR + 5_000);
});

test('an instant as deadline does not move: decided too late, nothing is done', async () => {
  twin = await twinTalk();
  const goal = await twin.goal(STOP, { deadline_unix_ms: Math.round(twin.clock.now()) + 60_000 });
  await twin.clock.advance(2 * 60_000);
  await decide(goal, 'approve');
  expect((await ended(goal)).state).not.toBe('completed');
  expect(writes()).toEqual([]);
});

test.each(['approve', 'reject'] as const)(
  'the process dies while people think: %s works after it',
  async (decision) => {
    twin = await twinTalk();
    const goal = await twin.goal(STOP);
    twin.crash();
    await twin.clock.run(twin.restart());
    expect((await now(goal)).state).toBe('paused');
    await twin.clock.advance(HOUR);
    await decide(goal, decision);
    expect((await ended(goal)).state).toBe(decision === 'approve' ? 'completed' : 'failed');
    expect(writes()).toHaveLength(decision === 'approve' ? 1 : 0);
  },
);

test('the process dies between decision and write: it is done once', async () => {
  twin = await twinTalk();
  const goal = await twin.goal(STOP);
  const decided = decide(goal, 'approve');
  await decided;
  twin.crash();
  await twin.clock.run(twin.restart());
  expect((await ended(goal)).state).toBe('completed');
  expect(writes()).toHaveLength(1);
});

test('a timer that was set before a crash is set again after it', async () => {
  twin = await twinTalk();
  const goal = await twin.goal(STOP);
  await twin.clock.advance(12 * HOUR);
  twin.crash();
  await twin.clock.run(twin.restart());
  await twin.clock.advance(12 * HOUR + 10_000);
  expect((await ended(goal)).approvals[0]?.decided_by).toBe('system:hitl-timeout');
});

test('the topology decides what asks, and for how long', async () => {
  const topology = demoTopology();
  const { approvals } = topology.policies;
  const expires_ms = { ...approvals.expires_ms, low: 60_000 };
  twin = await twinTalk({
    ...topology,
    policies: { ...topology.policies, approvals: { ask: [], methods: { write_point: 'ask' }, expires_ms } },
  });
  expect((await twin.goal(STOP)).state).toBe('completed');
  const asked = await twin.goal('把PLC-003的温度设定改为40度');
  expect([asked.state, asked.waiting_for]).toEqual(['paused', 'approval']);
  await twin.clock.advance(61_000);
  expect((await ended(asked)).state).toBe('failed');
  expect(() => parseTopology('policies: {approvals: {ask: [extreme]}}', 'x')).toThrow(/approvals/);
});

test.each([
  ['another key', (g: ApprovalGrant) => grantOfOther(g), 'bad_signature'],
  ['another approver', (g: ApprovalGrant) => ({ ...g, approver: 'wang' }), 'bad_signature'],
  ['a longer life', (g: ApprovalGrant) => ({ ...g, expires_at: g.expires_at + 1 }), 'bad_signature'],
  ['another hash', (g: ApprovalGrant) => ({ ...g, hash: '0'.repeat(64) }), 'bad_signature'],
  ['no approval', () => ({ yes: true }), 'malformed'],
] as const)('a forged approval does not pass the callee: %s', async (_what, forge, why) => {
  twin = await twinTalk();
  const goal = await twin.goal(STOP);
  const approval = { ...goal.approvals[0], decision: 'approve', decided_by: 'chen' } as never;
  const grant = grantOf(approval, twin.site().coordinator.agent.cell.doors.signing) as ApprovalGrant;
  await expect(call({ ...forge(grant) })).rejects.toMatchObject({ reason: 'approval_required', data: { why } });
  expect(writes()).toEqual([]);
});

test('an approval is used once: another request with it is asked anew', async () => {
  twin = await twinTalk();
  const goal = await twin.goal(STOP);
  await decide(goal, 'approve');
  const done = await ended(goal);
  const grant = grantOf(done.approvals[0] as never, twin.site().coordinator.agent.cell.doors.signing);
  twin.world.put('PLC-003', 'mode', 1);
  await expect(call({ ...grant })).rejects.toMatchObject({ reason: 'approval_required', data: { why: 'used' } });
  expect(writes()).toHaveLength(1);
});

test('an approval for one device does nothing on another', async () => {
  twin = await twinTalk();
  const goal = await twin.goal(STOP);
  const approval = { ...goal.approvals[0], decision: 'approve', decided_by: 'chen' } as never;
  const grant = grantOf(approval, twin.site().coordinator.agent.cell.doors.signing);
  await expect(call({ ...grant }, 'PLC-004')).rejects.toMatchObject({ data: { why: 'changed' } });
});

const call = async (approval: Record<string, unknown>, device_id = 'PLC-003'): Promise<unknown> => {
  const { caller } = twin.site().coordinator.agent.cell;
  const params = { device_id, mode: 'STOP' };
  const deadlineAt = twin.clock.now() + 20_000;
  const principal = { id: 'chen', roles: ['admin'] };
  return twin.clock.run(
    caller.call({ callee: 'plc_controller_v1.2', method: 'set_mode', params, principal, deadlineAt, approval }),
  );
};

const grantOfOther = (grant: ApprovalGrant): ApprovalGrant => {
  const approval = { approval_id: grant.id, hash: grant.hash, decided_by: 'chen', expires_at: grant.expires_at };
  const forged = grantOf({ ...approval, decision: 'approve' } as never, testSigning('attacker'));
  if (!forged) throw new HermesError('internal', 'nothing was signed');
  return forged;
};
