import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { StoredEntry } from '../../agents/runtime/index.js';
import type { SimFrame } from '../../simulators/index.js';
import { type HttpSite, startHttpSite } from '../support/http-site.js';

/**
 * Every Modbus write that passed a device's end of the link, as /sim/frames tells it, has exactly one effect on the
 * record with the same registers, and every effect with registers has its frame: over real TCP, with goals that
 * succeed, are rolled back, are refused and are approved.
 */
let site: HttpSite;
beforeAll(async () => {
  site = await startHttpSite();
});
afterAll(() => site.stop());

const WRITES = new Set([5, 6, 15, 16]);

const frames = async (): Promise<string[]> => {
  const response = await fetch(`${site.factory.simulators.controlUrl}/sim/frames`);
  const all = (await response.json()) as SimFrame[];
  return all
    .filter(({ dir, fc }) => dir === 'in' && WRITES.has(fc))
    .map(({ link, unit, fc, address, values }) => `${link} ${unit} fc${fc} ${address} ${values.map(Number).join(',')}`)
    .sort();
};

const recorded = async (): Promise<string[]> => {
  const cells = site.factory.site.instances().map(({ cell }) => cell);
  const entries: StoredEntry[] = [];
  for (const { view } of cells) {
    await view.catchUp();
    for (const scope of await view.scopes()) entries.push(...(await view.entries(scope)));
  }
  return entries
    .filter(({ kind }) => kind === 'finished')
    .flatMap(({ effects = [] }) => effects)
    .flatMap(({ registers }) => (registers ? [registers] : []))
    .map(
      ({ link, unit, function_code, address, values }) =>
        `${link} ${unit} fc${function_code} ${address} ${values.map(Number).join(',')}`,
    )
    .sort();
};

const goal = async (
  text: string,
): Promise<{ state: string; goal_id: string; approvals: { approval_id: string }[] }> => {
  const response = await site.post('/v1/goals?wait=30000', { goal: text, timeout_ms: 60_000 });
  return (await response.json()) as never;
};
const fault = (device: string, kind: string, params: Record<string, unknown> = {}): string =>
  site.factory.world.addFault({ device, kind, params, for_ms: 60_000 } as never) as unknown as string;

test('writes, restarts, roll-backs, refusals and approved steps: frames and record are the same list', {
  timeout: 120_000,
}, async () => {
  const states: string[] = [];
  const say = async (text: string): Promise<void> => {
    states.push((await goal(text)).state);
  };
  await say('查PLC-007状态，如果离线，重启它并通知张工');
  await say('把PLC-003的温度设定改为42度');
  await say('set the temperature set-point of PLC-004 to 47.5');
  await say('把PLC-005的转速设为1200');
  await say('把三楼A区温度设为24度');
  fault('PLC-006', 'silent_write');
  await say('把PLC-006的温度设定改为33度');
  fault('PLC-008', 'exception', { code: 4 });
  await say('把PLC-008的温度设定改为34度');
  fault('PLC-009', 'reboot_never_ends');
  await say('重启PLC-009');
  const stop = await goal('把PLC-010切换到停止模式');
  await site.post(`/v1/approvals/${stop.approvals[0]?.approval_id}`, { decision: 'approve' });
  await vi.waitFor(async () => {
    const done = (await (await site.get(`/v1/goals/${stop.goal_id}`)).json()) as { state: string };
    expect(done.state).toBe('completed');
  }, 10_000);
  const rejected = await goal('把PLC-011切换到停止模式');
  await site.post(`/v1/approvals/${rejected.approvals[0]?.approval_id}`, { decision: 'reject' });
  expect(states).toEqual([
    'completed',
    'completed',
    'completed',
    'completed',
    'completed',
    'failed',
    'failed',
    'failed',
  ]);

  const seen = await frames();
  expect(seen.length).toBeGreaterThan(15);
  expect(await recorded()).toEqual(seen);
});
