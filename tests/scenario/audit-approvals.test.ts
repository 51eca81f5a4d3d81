import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpSite, startHttpSite } from '../support/http-site.js';

let site: HttpSite;
beforeAll(async () => {
  site = await startHttpSite();
}, 60_000);
afterAll(() => site.stop());

test('a package holds the approvals of the goals behind its entries: what was asked, decided and used', async () => {
  const goal = (await (await site.post('/v1/goals?wait=20000', { goal: '把PLC-006切换到停止模式' })).json()) as {
    goal_id: string;
    approvals: { approval_id: string }[];
  };
  const [asked] = goal.approvals;
  await site.post(`/v1/approvals/${asked?.approval_id}`, { decision: 'approve' });
  const state = async (): Promise<string> =>
    ((await (await site.get(`/v1/goals/${goal.goal_id}`)).json()) as { state: string }).state;
  await expect.poll(state, { timeout: 20_000 }).toBe('completed');
  const pack = (await (await site.get('/v1/audit/export?scope=device_PLC-006')).json()) as {
    approvals: { scope: string; data: { type: string } }[];
  };
  expect(pack.approvals.some(({ scope }) => scope.startsWith('goal_'))).toBe(true);
  expect(pack.approvals.some(({ scope, data }) => scope === 'device_PLC-006' && data.type === 'used')).toBe(true);
}, 60_000);
