import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type HermesProcess, startHermes } from '../support/hermes-process.js';

/** Real processes: the command line as a user starts it, killed as a power cut kills it. */
const started: HermesProcess[] = [];
const folders: string[] = [];

const hermes = (...args: string[]): HermesProcess => {
  const made = startHermes(args);
  started.push(made);
  return made;
};
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'hermes-process-'));
  folders.push(made);
  return made;
};
afterEach(async () => {
  for (const one of started.splice(0)) await one.kill('SIGKILL');
  for (const one of folders.splice(0)) rmSync(one, { recursive: true, force: true });
});

const get = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;
const post = async <T>(url: string, body: unknown): Promise<T> =>
  (await (
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  ).json()) as T;
const pageOf = async (process: HermesProcess): Promise<string> =>
  (await process.find(/page {5}(http:\S+)/))[1] as string;

interface GoalView {
  readonly goal_id: string;
  readonly state: string;
  readonly plan: { readonly steps: readonly { readonly method: string; readonly state: string }[] };
}
interface Frame {
  readonly dir: string;
  readonly fc: number;
  readonly address: number;
}

describe('processes', () => {
  test('two sites run side by side; a third on the same folder is refused with the holder’s pid', {
    timeout: 90_000,
  }, async () => {
    const shared = folder();
    const first = hermes('up', '--port', '0', '--sim-port', '0', '--data-dir', shared);
    const second = hermes('up', '--port', '0', '--sim-port', '0', '--data-dir', folder());
    const [one, two] = [await pageOf(first), await pageOf(second)];
    expect(one).not.toBe(two);
    for (const page of [one, two]) expect(await get(`${page}/readyz`)).toMatchObject({ status: 'ready' });
    const third = hermes('up', '--port', '0', '--sim-port', '0', '--data-dir', shared);
    expect(await third.exited).toBe(1);
    expect(third.output()).toContain(`process ${first.pid}`);
    expect(await first.kill('SIGTERM')).toBe(0);
    expect(await second.kill('SIGTERM')).toBe(0);
  });

  test.each([0, 150, 700, 1_800])(
    'kill -9 %i ms after the goal was accepted, start again: the goal ends, nothing twice',
    { timeout: 120_000 },
    async (afterMs) => {
      const simulators = hermes('simulate', '--port', '0');
      const simUrl = (await simulators.find(/simulators of \S+ (http:\S+)/))[1] as string;
      const args = ['up', '--no-simulators', '--port', '0', '--sim-port', new URL(simUrl).port, '--data-dir', folder()];
      const first = hermes(...args);
      const goal = '查PLC-007状态，如果离线，重启它并通知张工';
      const accepted = await post<GoalView>(`${await pageOf(first)}/v1/goals`, { goal });
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      expect(await first.kill('SIGKILL')).toBe('SIGKILL');

      const second = hermes(...args);
      const page = await pageOf(second);
      // The stream of a goal ends after its final state, also when it began in an earlier life.
      await (await fetch(`${page}/v1/goals/${accepted.goal_id}/events`)).text();
      const ended = await get<GoalView>(`${page}/v1/goals/${accepted.goal_id}`);
      expect(ended.plan.steps.map((step) => step.method)).toEqual(['get_device_status', 'restart_device', 'notify']);
      expect(ended.state).toBe('completed');
      const frames = await get<Frame[]>(`${simUrl}/sim/frames?device=PLC-007`);
      const restarts = frames.filter((frame) => frame.dir === 'in' && frame.fc === 6 && frame.address === 100);
      expect(restarts).toHaveLength(1);
      expect(await get<unknown[]>(`${simUrl}/sim/mail?to=zhang`)).toHaveLength(1);
    },
  );
});
