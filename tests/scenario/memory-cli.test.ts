import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryCommand } from '../../cli/commands/memory.js';
import { type HttpSite, startHttpSite } from '../support/http-site.js';

/** Memory as a person at a terminal or over HTTP meets it. */
let site: HttpSite;
beforeAll(async () => {
  site = await startHttpSite();
  for (let times = 0; times < 2; times++) await site.factory.goal('查PLC-003状态');
});
afterAll(() => site.stop());

const get = async (path: string): Promise<Record<string, unknown>> =>
  (await (await site.get(path)).json()) as Record<string, unknown>;

describe('over HTTP', () => {
  test('history pages, diff compares, the archive is another question', async () => {
    const page = await get('/v1/memory/device_plc-003/history?limit=1');
    expect(page).toMatchObject({ versions: [{ version: 1, scope: 'device_PLC-003' }], next: 2 });
    expect(await get('/v1/memory/device_PLC-003/diff?from=1&to=2&archive=true')).toMatchObject({ from: 1, to: 2 });
    expect(await get('/v1/memory/device_PLC-003?archive=true')).toMatchObject({ version: 2 });
    expect((await site.get('/v1/memory/device_PLC-003?archive=maybe')).status).toBe(400);
  });

  test('stats and check name every component', async () => {
    const stats = (await get('/v1/memory/stats')).components as { component: string; count: number }[];
    expect(stats.map(({ component }) => component)).toHaveLength(site.factory.facts.agents.length + 1);
    expect(stats.find(({ component }) => component.startsWith('plc_'))).toMatchObject({ count: 2 });
    const checked = (await get('/v1/memory/check')).components as { scopes: number; problems: unknown[] }[];
    expect(checked.flatMap(({ problems }) => problems)).toEqual([]);
    expect(checked.reduce((sum, { scopes }) => sum + scopes, 0)).toBeGreaterThan(3);
    expect((await site.get('/v1/memory/check?scope=..%2Fx')).status).toBe(400);
    expect((await site.get('/v1/memory/stats?component=nobody')).status).toBe(404);
  });
});

describe('the snapshots that are shipped', () => {
  test('hold nothing that is taken for a credential', async () => {
    const asked = ['把三楼A区温度设为24度', '三楼A区空调不制冷', '查三楼的电量', '重启PLC-004并通知张工'];
    for (const text of asked) await site.factory.goal(text);
    let snapshots = 0;
    for (const { name } of site.factory.facts.agents) {
      const { view } = site.factory.agent(name).cell;
      await view.catchUp();
      for (const scope of await view.scopes()) {
        for (const { snapshots: made = [], data } of await view.entries(scope)) {
          expect(data?.snapshot_refused, scope).toBeUndefined();
          snapshots += made.length;
        }
      }
    }
    expect(snapshots).toBeGreaterThan(5);
  });
});

describe('hermes memory', () => {
  const hermes = async (...args: string[]): Promise<string> => {
    const printed: string[] = [];
    const write = process.stdout.write;
    process.env.HERMES_URL = site.http.url;
    process.stdout.write = ((text: string) => printed.push(text) > 0) as typeof process.stdout.write;
    try {
      await memoryCommand().exitOverride().parseAsync(args, { from: 'user' });
    } finally {
      process.stdout.write = write;
    }
    return printed.join('');
  };

  test('show, history, diff, stats, check: for people and for programs', async () => {
    expect(await hermes('show', 'device_plc-003')).toMatch(/^scope +device_PLC-003\nversion +2 /);
    expect(JSON.parse(await hermes('show', 'device_PLC-003', '--version', '1', '--json'))).toMatchObject({
      version: 1,
    });
    expect(await hermes('history', 'device_PLC-003', '--limit', '1')).toMatch(/there are more: --from 2/);
    expect(await hermes('diff', 'device_PLC-003', '--from', '1', '--to', '1')).toBe('no field differs\n');
    expect(await hermes('stats')).toMatch(/device +\d+ +\d+ +\d+ %/);
    expect(await hermes('check')).toMatch(/as recorded/);
    await expect(hermes('show', 'device_PLC-404')).rejects.toMatchObject({ reason: 'not_found' });
  });
});
