import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HermesProcess, startHermes } from '../support/hermes-process.js';

/**
 * The drill: a site that works is backed up by the command line, lost, and comes back in another folder from the file
 * and its master key.
 */
const folder = mkdtempSync(join(tmpdir(), 'hermes-drill-'));
const place = (name: string): string => join(folder, name);
const file = place('site.backup');
const GOALS = ['查PLC-007状态，如果离线，重启它并通知张工', '把PLC-003的温度设定值设为45', '三楼A区空调不制冷'];

let lost: HermesProcess;
let page = '';
let before: Seen;

interface Goal {
  readonly goal_id: string;
  readonly state: string;
}
interface Seen {
  readonly goals: readonly (readonly [string, string])[];
  readonly memory: unknown;
  readonly entries: readonly string[];
}

const up = async (dataDir: string): Promise<[HermesProcess, string]> => {
  const process = startHermes(['up', '--port', '0', '--sim-port', '0', '--data-dir', dataDir]);
  return [process, (await process.find(/page {5}(http:\S+)/))[1] as string];
};
const run = async (args: string[], environment: Record<string, string> = {}): Promise<[number | string, string]> => {
  const process = startHermes(args, environment);
  return [await process.exited, process.output()];
};
const get = async <T>(path: string): Promise<T> => (await (await fetch(page + path)).json()) as T;
const goal = async (text: string): Promise<Goal> => {
  const body = JSON.stringify({ goal: text });
  const headers = { 'content-type': 'application/json' };
  return (await (await fetch(`${page}/v1/goals?wait=30000`, { method: 'POST', headers, body })).json()) as Goal;
};
/** What an operator and an auditor see of the site. */
const look = async (): Promise<Seen> => ({
  goals: (await get<{ goals: Goal[] }>('/v1/goals')).goals
    .map(({ goal_id, state }) => [goal_id, state] as const)
    .sort(),
  memory: await get('/v1/memory/device_PLC-003/history'),
  entries: (await get<{ entries: { hash: string }[] }>('/v1/audit?scope=device_PLC-007')).entries.map(
    (one) => one.hash,
  ),
});

beforeAll(async () => {
  [lost, page] = await up(place('lost'));
  for (const text of GOALS) expect((await goal(text)).state).toBe('completed');
  before = await look();
}, 90_000);
afterAll(async () => {
  await lost.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('hermes backup', () => {
  test('takes the whole record while goals run, checks it, and writes over nothing', { timeout: 60_000 }, async () => {
    const busy = Promise.all(['查PLC-001状态', '查PLC-002状态', '查PLC-004状态'].map(goal));
    const [exit, said] = await run(['backup', '-o', file], { HERMES_URL: page });
    expect(said).toMatch(/\d+ records and \d+ signed heads of default/);
    expect(exit).toBe(0);
    expect((await busy).map(({ state }) => state)).toEqual(['completed', 'completed', 'completed']);
    expect((await run(['backup', '-o', file], { HERMES_URL: page }))[0]).toBe(2);
    const access = await get<{ entries: { what?: string }[] }>(
      '/v1/audit?scope=audit_access&component=production_coordinator',
    );
    expect(JSON.stringify(access)).toContain('backup');
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(readFileSync(join(place('lost'), 'keys', 'master.key'), 'utf8').trim());
  });
});

describe('hermes restore', () => {
  const withKey = (name: string): string => {
    mkdirSync(join(place(name), 'keys'), { recursive: true, mode: 0o700 });
    cpSync(join(place('lost'), 'keys', 'master.key'), join(place(name), 'keys', 'master.key'));
    return place(name);
  };

  test.each([
    ['cut in the middle', (text: string) => text.slice(0, text.length / 2)],
    ['without its end', (text: string) => text.slice(0, text.trimEnd().lastIndexOf('\n') + 1)],
    ['with a record less', (text: string) => text.split('\n').toSpliced(7, 1).join('\n')],
    ['with two records in each other’s place', (text: string) => swapped(text)],
    ['with a payload changed', (text: string) => text.replace(/("payload":"[^"]{9})[^"]/, (_, head) => `${head}_`)],
    ['of another kind', () => '{"format":"tar"}\n'],
    ['with nothing in it', () => ''],
  ])('a file %s is refused with its line, and leaves nothing', { timeout: 30_000 }, async (_what, damage) => {
    const text = readFileSync(file, 'utf8');
    const copy = place('damaged.backup');
    writeFileSync(copy, damage(text));
    const [exit, said] = await run(['restore', copy, '--data-dir', place('nowhere')]);
    expect(said).toMatch(/the backup is damaged: line \d+/);
    expect(exit).toBe(2);
    expect(existsSync(place('nowhere'))).toBe(false);
  });

  test('a folder that holds something, a missing master key and a wrong one are refused', {
    timeout: 60_000,
  }, async () => {
    const [full, why] = await run(['restore', file, '--data-dir', place('lost')]);
    expect([full, why]).toEqual([2, expect.stringContaining('is not empty')]);
    const [none, missing] = await run(['restore', file, '--data-dir', place('keyless')]);
    expect([none, missing]).toEqual([2, expect.stringMatching(/master/)]);
    const wrong = { HERMES_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') };
    const [other, ids] = await run(['restore', file, '--data-dir', place('wrong')], wrong);
    expect(other).toBe(1);
    expect(ids.match(/[a-z]+:[0-9a-f]{8,}/g)?.length).toBeGreaterThanOrEqual(2);
    expect(readdirSync(place('wrong')).filter((name) => !name.startsWith('hermes.lock'))).toEqual([]);
    expect((await run(['restore', file, '--data-dir', withKey('wrong')]))[0], 'and can be tried again').toBe(0);
  });

  test('the site is back: goals, memory and record as they were, chains whole, exports verify', {
    timeout: 120_000,
  }, async () => {
    expect(await lost.kill('SIGKILL')).toBe('SIGKILL');
    const key = join(place('lost'), 'keys', 'production_coordinator.pub.pem');
    const [exit, said] = await run(['restore', file, '--data-dir', withKey('back'), '--key', key]);
    expect(said).toMatch(/\d+ records, \d+ chains, all whole/);
    expect(exit).toBe(0);
    const [site, url] = await up(place('back'));
    try {
      page = url;
      const after = await look();
      expect(after.goals).toEqual(expect.arrayContaining(before.goals as never));
      expect(after.memory).toEqual(before.memory);
      expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
      expect((await run(['memory', 'check'], { HERMES_URL: page }))[1]).toContain('as recorded');
      const out = place('plc-007.json');
      const scope = ['--scope', 'device_PLC-007'];
      expect((await run(['audit', 'export', ...scope, '-o', out], { HERMES_URL: page }))[0]).toBe(0);
      const verified = await run([
        'audit',
        'verify',
        out,
        '--key',
        join(place('back'), 'keys', 'plc_controller.pub.pem'),
      ]);
      expect(verified[0], verified[1]).toBe(0);
      expect((await goal('把PLC-003的温度设定值设为46')).state).toBe('completed');
    } finally {
      await site.kill('SIGTERM');
    }
  });
});

function swapped(text: string): string {
  const lines = text.split('\n');
  [lines[5], lines[6]] = [lines[6] as string, lines[5] as string];
  return lines.join('\n');
}
