import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../shared/clock.js';
import { type HermesProcess, startHermes } from './hermes-process.js';
import { type NatsServer, startNatsServer } from './nats-server.js';

export interface GoalView {
  readonly goal_id: string;
  readonly trace_id: string;
  readonly state: string;
  readonly goal: string;
  readonly deadline_unix_ms: number;
  readonly error?: { readonly data: { readonly reason: string } };
  readonly plan: {
    readonly steps: readonly { readonly method: string; readonly state: string; readonly served_by?: string }[];
  };
}
export interface Frame {
  readonly at: number;
  readonly dir: string;
  readonly unit: number;
  readonly fc: number;
  readonly address: number;
  readonly values: readonly number[];
}

/** A site of real processes over a real nats-server: what a user starts by hand, with the doors to look at it. */
export interface ProcessSite {
  readonly nats: NatsServer;
  readonly simUrl: string;
  readonly dataDir: string;
  /** Of the coordinator that was started last. */
  readonly page: string;
  /** `hermes agent …`; resolves when it has said that it runs. `instance` is its first. */
  agent(name: string, ...args: string[]): Promise<HermesProcess & { readonly instance: string }>;
  /** `hermes coordinator`, on the same port each time. */
  coordinator(): Promise<HermesProcess>;
  get<T>(path: string): Promise<T>;
  /** @throws what the server answers unless it is 2xx. */
  post<T>(path: string, body: unknown): Promise<T>;
  submit(goal: string, timeoutMs?: number): Promise<GoalView>;
  /** When the goal is final, however often the coordinator starts anew meanwhile. */
  ended(goalId: string, ms?: number): Promise<GoalView>;
  frames(query?: string): Promise<Frame[]>;
  /** Everything that any process printed. */
  output(): string;
  stop(): Promise<void>;
}

export const ZH_GOAL = '查PLC-007状态，如果离线，重启它并通知张工';
const clock = systemClock();
const FINAL = new Set(['completed', 'failed', 'cancelled']);

export async function startProcessSite(): Promise<ProcessSite> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hermes-site-'));
  const nats = await startNatsServer();
  const started: HermesProcess[] = [];
  const start = (...args: string[]): HermesProcess => {
    const made = startHermes(args);
    started.push(made);
    return made;
  };
  const simulators = start('simulate', '--port', '0');
  const simUrl = (await simulators.find(/simulators of \S+ (http:\S+)/, 60_000))[1] as string;
  const shared = ['--nats', nats.url, '--sim-url', simUrl, '--data-dir', dataDir];
  let page = '';

  const get = async <T>(path: string): Promise<T> => (await (await fetch(page + path)).json()) as T;
  const site: ProcessSite = {
    nats,
    simUrl,
    dataDir,
    get page() {
      return page;
    },
    async agent(name, ...args) {
      const process = start('agent', name, ...shared, ...args);
      const [, instances = ''] = await process.find(/instances (\S.*)/, 60_000);
      // Its sentences are understood once the coordinator has heard its manifest.
      const isKnown = async (): Promise<boolean> =>
        page === '' || Boolean((await get<{ manifest?: unknown }>(`/v1/agents/${name}`)).manifest);
      for (const until = performance.now() + 30_000; !(await isKnown()); await clock.sleep(50)) {
        if (performance.now() > until) throw new Error(`the coordinator does not know ${name}: ${process.output()}`);
      }
      return Object.assign(process, { instance: instances.split(',')[0] as string });
    },
    async coordinator() {
      const process = start('coordinator', ...shared, '--port', page === '' ? '0' : new URL(page).port);
      page = (await process.find(/page +(http:\S+)/, 60_000))[1] as string;
      return process;
    },
    get,
    async post(path, body) {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(page + path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return (await response.json()) as never;
    },
    submit: (goal, timeoutMs) => site.post('/v1/goals', { goal, ...(timeoutMs ? { timeout_ms: timeoutMs } : {}) }),
    async ended(goalId, ms = 60_000) {
      for (const until = performance.now() + ms; performance.now() < until; await systemClock().sleep(200)) {
        const goal = await get<GoalView>(`/v1/goals/${goalId}`).catch(() => undefined);
        if (goal && FINAL.has(goal.state)) return goal;
      }
      throw new Error(`goal ${goalId} has not ended within ${ms} ms: ${site.output()}`);
    },
    frames: async (query = '') => (await (await fetch(`${simUrl}/sim/frames${query}`)).json()) as Frame[],
    output: () => started.map((one) => one.output()).join('\n'),
    async stop() {
      await Promise.all(started.map((one) => one.kill('SIGKILL')));
      await nats.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return site;
}

/** Runs work with so many at a time; results in order. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < items.length) {
        const index = next++;
        results[index] = await work(items[index] as T);
      }
    }),
  );
  return results;
}
