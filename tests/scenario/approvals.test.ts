import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Approval } from '../../agents/runtime/index.js';
import type { Goal } from '../../coordinator/index.js';
import { type HttpSite, startHttpSite } from '../support/http-site.js';

/** A high-risk step over HTTP: it waits for a person, who sees what will happen, and what they say is what happens. */
let site: HttpSite;
beforeAll(async () => {
  site = await startHttpSite();
});
afterAll(() => site.stop());

const json = async <T>(response: Response): Promise<T> => (await response.json()) as T;
const submit = async (goal: string, user?: string): Promise<Goal> => {
  const headers: Record<string, string> = user ? { 'x-hermes-user': user } : {};
  return json<Goal>(await site.post('/v1/goals?wait=20000', { goal, timeout_ms: 60_000 }, headers));
};
const pending = async (): Promise<Approval[]> =>
  (await json<{ approvals: Approval[] }>(await site.get('/v1/approvals'))).approvals;
const decide = (id: string, decision: string, user = 'chen', comment?: string): Promise<Response> =>
  site.post(`/v1/approvals/${id}`, { decision, ...(comment ? { comment } : {}) }, { 'x-hermes-user': user });
const ended = (goalId: string): Promise<Goal> =>
  vi.waitFor(
    async () => {
      const goal = await json<Goal>(await site.get(`/v1/goals/${goalId}`));
      expect(goal.ended_at).toBeDefined();
      return goal;
    },
    { timeout: 20_000, interval: 50 },
  );
const modeWrites = (device: string) =>
  site.factory.world.frames({ device }).filter(({ dir, fc, address }) => dir === 'in' && fc === 6 && address === 10);
const onlyApproval = (goal: Goal): Approval => {
  expect(goal.approvals).toHaveLength(1);
  return goal.approvals[0] as Approval;
};

describe.each([
  ['把PLC-003切换到停止模式', 'PLC-003', '已切换到停止模式'],
  ['set PLC-004 to stop', 'PLC-004', 'was set to STOP'],
] as const)('%s', (sentence, device, told) => {
  test('pauses before the first write, shows effects and rollback, and does on approval what was shown', async () => {
    const goal = await submit(sentence, 'liu');
    expect([goal.state, goal.waiting_for, goal.plan.steps[0]?.state]).toEqual(['paused', 'approval', 'waiting']);
    const approval = onlyApproval(goal);
    expect(approval).toMatchObject({
      method: 'set_mode',
      params: { device_id: device, mode: 'STOP' },
      effects: [{ capability: 'modbus.write', target: `${device}.mode_command`, before: 'RUN', after: 'STOP' }],
      rollback: { name: 'set_prior_mode' },
      requester: 'liu',
      risk: 'high',
    });
    expect(Date.parse(`${approval.expires_at}`) - Date.parse(`${approval.asked_at}`)).toBe(24 * 3_600_000);
    expect(modeWrites(device)).toEqual([]);
    expect((await pending()).map(({ approval_id }) => approval_id)).toContain(approval.approval_id);

    const decided = await json<Approval>(await decide(approval.approval_id, 'approve', 'chen', 'go on'));
    expect(decided).toMatchObject({ decision: 'approve', decided_by: 'chen', comment: 'go on', auth: 'none' });
    expect(decided.self_approved).toBeUndefined();
    const done = await ended(goal.goal_id);
    expect([done.state, done.plan.steps[0]?.state]).toEqual(['completed', 'completed']);
    expect(done.answer?.text).toContain(told);
    expect(modeWrites(device).map(({ values }) => values)).toEqual([[0]]);
    expect(await pending()).toEqual([]);

    const entries = await site.factory.audit(`device_${device}`);
    const used = entries.filter(({ kind }) => kind === 'approval');
    expect(used.map(({ data }) => data)).toMatchObject([
      { type: 'used', approval_id: approval.approval_id, approver: 'chen', hash: approval.hash },
    ]);
    const kinds = entries.map(({ kind }) => kind);
    expect(kinds.slice(kinds.indexOf('approval'))).toEqual(['approval', 'started', 'finished']);
    const onGoal = await site.factory.audit(`goal_${goal.goal_id}`);
    expect(onGoal.filter(({ kind }) => kind === 'approval').map(({ data }) => data?.type)).toEqual([
      'asked',
      'decided',
    ]);
  });
});

test('rejected: nothing is written, the goal fails, and says by whom and why', async () => {
  const goal = await submit('把PLC-005切换到停止模式');
  const { approval_id } = onlyApproval(goal);
  await decide(approval_id, 'reject', 'chen', '生产还在进行');
  const done = await ended(goal.goal_id);
  expect([done.state, done.plan.steps[0]?.state]).toEqual(['failed', 'failed']);
  expect(done.plan.steps[0]?.error).toMatchObject({
    data: { reason: 'not_allowed', approval_id, decided_by: 'chen' },
    message: expect.stringContaining('生产还在进行'),
  });
  expect(modeWrites('PLC-005')).toEqual([]);
});

test('P6: the first decision counts; a second is 409, and on the record', async () => {
  const goal = await submit('把PLC-006切换到停止模式');
  const { approval_id } = onlyApproval(goal);
  const answers = await Promise.all([decide(approval_id, 'reject', 'chen'), decide(approval_id, 'approve', 'wang')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const lost = answers.find(({ status }) => status === 409) as Response;
  expect(await lost.json()).toMatchObject({ reason: 'version_conflict' });
  const done = await ended(goal.goal_id);
  const first = onlyApproval(done).decision;
  expect(modeWrites('PLC-006')).toHaveLength(first === 'approve' ? 1 : 0);
  const refusals = await site.get('/v1/audit?scope=audit_access&component=production_coordinator');
  const { entries } = await json<{ entries: { kind: string; data: { approval_id?: string } }[] }>(refusals);
  expect(entries.filter(({ kind, data }) => kind === 'refused' && data.approval_id === approval_id)).toHaveLength(1);
});

test('P1, P2: parallel steps ask one question each, decided apart: each answer reaches its own device', async () => {
  const goal = await submit('把PLC-009和PLC-010切换到停止模式');
  expect(goal.approvals).toHaveLength(2);
  expect(new Set(goal.approvals.map(({ approval_id, hash }) => `${approval_id} ${hash}`)).size).toBe(2);
  const of = (device: string) => goal.approvals.find(({ params }) => params.device_id === device) as Approval;
  expect((await pending()).map(({ approval_id }) => approval_id).sort()).toEqual(
    goal.approvals.map(({ approval_id }) => approval_id).sort(),
  );
  await decide(of('PLC-010').approval_id, 'approve');
  // A rejected step ends the plan: what was approved before, and has not begun, would not begin any more.
  await vi.waitFor(() => expect(modeWrites('PLC-010')).toHaveLength(1), { timeout: 20_000 });
  await decide(of('PLC-009').approval_id, 'reject');
  await ended(goal.goal_id);
  expect([modeWrites('PLC-009').length, modeWrites('PLC-010').length]).toEqual([0, 1]);
});

test('P3: the state changed meanwhile: asked anew within the same step, and the second approval does', async () => {
  const goal = await submit('把PLC-011切换到停止模式');
  const first = onlyApproval(goal);
  site.factory.world.put('PLC-011', 'mode', 0);
  await decide(first.approval_id, 'approve');
  const second = await vi.waitFor(async () => {
    const found = (await pending()).find(({ goal_id }) => goal_id === goal.goal_id);
    expect(found).toBeDefined();
    expect(found?.approval_id).not.toBe(first.approval_id);
    return found as Approval;
  });
  expect(second.effects).toMatchObject([{ before: 'STOP', after: 'STOP' }]);
  expect(modeWrites('PLC-011')).toEqual([]);
  await decide(second.approval_id, 'approve');
  expect((await ended(goal.goal_id)).state).toBe('completed');
});

test('who asked may decide where nobody has to prove who they are; the record says so', async () => {
  const goal = await submit('把PLC-012切换到停止模式', 'chen');
  const approved = await json<Approval>(await decide(onlyApproval(goal).approval_id, 'approve', 'chen'));
  expect(approved).toMatchObject({ self_approved: true, auth: 'none' });
  expect((await ended(goal.goal_id)).state).toBe('completed');
});

test('called directly, without a goal, the method says what it needs, and does nothing', async () => {
  const call = { method: 'set_mode', params: { device_id: 'PLC-001', mode: 'STOP' } };
  const response = await site.post('/v1/agents/plc_controller/call', call);
  expect(response.status).toBe(403);
  expect(await response.json()).toMatchObject({ reason: 'approval_required' });
  expect(modeWrites('PLC-001')).toEqual([]);
});

test('bad decisions name the field; unknown approvals are 404', async () => {
  const bad = await decide('ap-aaaaaaaaaaaaaaaa', 'maybe');
  expect([bad.status, (await json<{ fields: { pointer: string }[] }>(bad)).fields[0]?.pointer]).toEqual([
    400,
    '/decision',
  ]);
  expect((await decide('ap-aaaaaaaaaaaaaaaa', 'approve')).status).toBe(404);
  expect((await decide('all', 'approve')).status).toBe(404);
});

test('a cancelled goal asks nobody any more', async () => {
  const goal = await submit('把PLC-002切换到停止模式');
  const { approval_id } = onlyApproval(goal);
  await site.post(`/v1/goals/${goal.goal_id}/cancel`, {});
  expect(await pending()).toEqual([]);
  expect((await decide(approval_id, 'approve')).status).toBe(409);
  expect(modeWrites('PLC-002')).toEqual([]);
});
