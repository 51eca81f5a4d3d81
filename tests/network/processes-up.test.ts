import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HermesProcess, startHermes } from '../support/hermes-process.js';
import { type GoalView, ZH_GOAL } from '../support/process-site.js';

/** `hermes up --nats`: one command, many processes, each of which may die. */
const dataDir = mkdtempSync(join(tmpdir(), 'hermes-up-'));
let up: HermesProcess;
let page = '';
beforeAll(async () => {
  up = startHermes(['up', '--nats', '--port', '0', '--sim-port', '0', '--data-dir', dataDir]);
  page = (await up.find(/page {5}(http:\S+)/, 120_000))[1] as string;
}, 150_000);
afterAll(async () => {
  if (up.child.exitCode === null) await up.kill('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

const pidsOf = (name: string): number[] =>
  [...up.output().matchAll(new RegExp(`^${name} +pid (\\d+)`, 'gm'))].map(([, pid]) => Number(pid));
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const goal = async (text: string): Promise<GoalView> => {
  const body = JSON.stringify({ goal: text });
  const headers = { 'content-type': 'application/json' };
  return (await (await fetch(`${page}/v1/goals?wait=60000`, { method: 'POST', headers, body })).json()) as GoalView;
};
const ready = async (): Promise<{ status: string }> => (await (await fetch(`${page}/readyz`)).json()) as never;

describe('hermes up --nats', () => {
  test('runs each agent, coordinator and nats-server in a process of its own; the goal of day one works', async () => {
    const names = [
      'nats-server',
      'production_coordinator',
      'plc_controller',
      'floor1_hvac_agent',
      'power_supply_agent',
    ];
    const pids = names.map((name) => pidsOf(name)[0] ?? 0);
    expect(pids.every(isAlive)).toBe(true);
    expect(new Set([...pids, up.pid]).size).toBe(names.length + 1);
    expect(await ready()).toMatchObject({ status: 'ready', missing_agents: [] });
    expect(await goal(ZH_GOAL)).toMatchObject({ state: 'completed' });
  });

  test.each(['plc_controller', 'nats-server', 'production_coordinator'])(
    '%s is started again after kill -9, and the site works on',
    { timeout: 120_000 },
    async (name) => {
      const [first = 0] = pidsOf(name);
      process.kill(first, 'SIGKILL');
      await up.find(new RegExp(`${name} ended \\(SIGKILL\\)`), 30_000);
      await up.find(new RegExp(`(${name} +pid \\d+[\\s\\S]*){2}`), 60_000);
      await expect.poll(ready, { timeout: 60_000 }).toMatchObject({ status: 'ready' });
      expect(await goal('查PLC-003状态')).toMatchObject({ state: 'completed' });
    },
  );

  test('a second one on the same folder is refused with the pid of the first', async () => {
    const second = startHermes(['up', '--nats', '--port', '0', '--sim-port', '0', '--data-dir', dataDir]);
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain(`process ${up.pid}`);
  });

  test('leaves nothing running after SIGTERM, within 10 s', async () => {
    const pids = [...up.output().matchAll(/ pid (\d+)/g)].map(([, pid]) => Number(pid));
    const began = performance.now();
    expect(await up.kill('SIGTERM')).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});
