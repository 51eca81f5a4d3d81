import { appendFileSync, copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { verifyPackage } from '../../agents/runtime/index.js';
import { loadConfig } from '../../shared/config.js';
import { type HermesProcess, startHermes, startProgram } from '../support/hermes-process.js';
import { freePort } from '../support/nats-server.js';
import { type GoalView, ZH_GOAL } from '../support/process-site.js';

/** What `hermes nats config` writes is enough for a site, and for nothing more; deploy/ stands on it. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hermes-identity-'));
const conf = join(folder, 'nats', 'nats-server.conf');
const started: HermesProcess[] = [];
let natsUrl = '';
let environment: Record<string, string> = {};

const hermes = (...args: string[]): HermesProcess => {
  const made = startHermes(args, environment);
  started.push(made);
  return made;
};
const ran = async (...args: string[]): Promise<HermesProcess> => {
  const made = hermes(...args);
  expect(await made.exited, made.output()).toBe(0);
  return made;
};
const checked = async (file: string): Promise<HermesProcess> => {
  const made = startProgram(['nats-server', '-t', '-c', file], {}, folder);
  await made.exited;
  return made;
};
beforeAll(async () => {
  const port = await freePort();
  natsUrl = `nats://127.0.0.1:${port}`;
  await ran('nats', 'config', '--out', join(folder, 'nats'), '--listen', `127.0.0.1:${port}`);
}, 60_000);
afterAll(async () => {
  await Promise.all(started.map((one) => one.kill('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

describe('a site on a server with identities', () => {
  test('the configuration is one that a nats-server takes, alone and as one of a cluster', async () => {
    expect((await checked(conf)).output()).toContain('is valid');
    const one = join(folder, 'one-of-three.conf');
    copyFileSync(conf, one);
    copyFileSync(join(ROOT, 'deploy/nats/cluster.conf'), join(folder, 'cluster.conf'));
    appendFileSync(one, 'include cluster.conf\n');
    expect((await checked(one)).output()).toContain('is valid');
  });

  test('seeds that were made stay', async () => {
    const seed = join(folder, 'nats', 'seeds', 'plc_controller.nk');
    const before = readFileSync(seed, 'utf8');
    await ran('nats', 'config', '--out', join(folder, 'nats'), '--listen', natsUrl.slice(7), '--with', 'coolant');
    expect(readFileSync(seed, 'utf8')).toBe(before);
    expect(readFileSync(join(folder, 'nats', 'seeds', 'coolant.nk'), 'utf8')).toMatch(/^SU/);
  });

  test('the goal of day one works, nothing is forbidden on the way, nobody comes in without', {
    timeout: 180_000,
  }, async () => {
    const server = startProgram(['nats-server', '-c', conf], {}, folder);
    started.push(server);
    await server.find(/Server is ready/, 20_000);
    const simulators = hermes('simulate', '--port', '0');
    const [, simUrl = ''] = await simulators.find(/simulators of \S+ (http:\S+)/, 60_000);
    environment = {
      HERMES_NATS_URL: natsUrl,
      HERMES_NATS_NKEY_FILE: join(folder, 'nats', 'seeds'),
      HERMES_DATA_DIR: join(folder, 'data'),
      HERMES_SIM_URL: simUrl,
    };
    expect((await ran('nats', 'init')).output()).toContain('HERMES_LOG_default');
    const coordinator = hermes('coordinator', '--port', '0');
    const workers = ['plc_controller', 'plc_controller', 'maintenance_scheduling_agent'].map((name) =>
      hermes('agent', name),
    );
    const [, page = ''] = await coordinator.find(/page +(http:\S+)/, 90_000);
    for (const worker of workers) await worker.find(/instances \S/, 90_000);
    const response = await fetch(`${page}/v1/goals?wait=60000`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ goal: ZH_GOAL }),
    });
    const goal = (await response.json()) as GoalView;
    expect([goal.state, goal.plan.steps.length]).toEqual(['completed', 3]);
    const { entries } = (await (await fetch(`${page}/v1/journal?trace_id=${goal.trace_id}`)).json()) as {
      entries: unknown[];
    };
    expect(entries.length).toBeGreaterThanOrEqual(6);
    // A person's approval is signed by the coordinator, and checked by the worker against the coordinator's own log.
    const send = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
      const headers = { 'content-type': 'application/json' };
      const answered = await fetch(page + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answered.json()) as Record<string, unknown>;
    };
    const risky = await send('/v1/goals?wait=30000', { goal: '把PLC-003切换到停止模式', timeout_ms: 60_000 });
    const [approval] = risky.approvals as { approval_id: string }[];
    await send(`/v1/approvals/${approval?.approval_id}`, { decision: 'approve' });
    const isDone = async (): Promise<void> => {
      const now = (await (await fetch(`${page}/v1/goals/${risky.goal_id}`)).json()) as GoalView;
      expect(now.state).toBe('completed');
    };
    await vi.waitFor(isDone, { timeout: 20_000, interval: 100 });
    expect((await send('/v1/keys/rotate', {})).data_keys).toMatchObject([{ number: 1 }, { number: 2, in_use: true }]);
    // The record of a device goes from its home over the network, signed, countersigned and in one piece.
    const file = join(folder, 'plc-007.audit.json');
    const exporting = startHermes(['audit', 'export', '--scope', 'device_PLC-007', '-o', file], { HERMES_URL: page });
    expect([await exporting.exited, exporting.output()]).toEqual([0, expect.stringContaining(file)]);
    const keys = ['plc_controller', 'production_coordinator'].map((name) =>
      join(folder, 'data/keys', `${name}.pub.pem`),
    );
    const verdict = verifyPackage(readFileSync(file), readFileSync(keys[0] ?? '', 'utf8'), [
      readFileSync(keys[1] ?? '', 'utf8'),
    ]);
    expect(verdict).toMatchObject({ ok: true, countersignatures: [{ by: 'production_coordinator', state: 'valid' }] });
    // The coordinator may read all of the record, so a site of processes is backed up like any other.
    const backup = join(folder, 'site.backup');
    const backing = startHermes(['backup', '-o', backup], { HERMES_URL: page });
    expect([await backing.exited, backing.output()]).toEqual([0, expect.stringContaining('of default')]);
    const back = join(folder, 'back');
    cpSync(join(folder, 'data/keys'), join(back, 'keys'), { recursive: true });
    const restoring = startHermes(['restore', backup, '--data-dir', back], {});
    expect([await restoring.exited, restoring.output()]).toEqual([0, expect.stringContaining('all whole')]);
    expect(server.output()).not.toMatch(/Permissions Violation/i);

    const stranger = startHermes(['agent', 'plc_controller'], { ...environment, HERMES_NATS_NKEY_FILE: '' });
    expect(await stranger.exited).toBe(1);
    expect(stranger.output()).toMatch(/refuses plc_controller[\s\S]*next: .*NKey seed/);
  });
});

describe('deploy/', () => {
  const units = readdirSync(join(ROOT, 'deploy/systemd')).filter((name) => name.endsWith('.service'));

  test.each(units)('%s starts a command that exists and leaves it time to stop', (name) => {
    const unit = readFileSync(join(ROOT, 'deploy/systemd', name), 'utf8');
    const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
    expect(command).toMatch(/nats-server -c \/|hermes (coordinator|agent %i)$/);
    if (command.includes('hermes agent')) expect(Number(/TimeoutStopSec=(\d+)/.exec(unit)?.[1])).toBeGreaterThan(10);
  });

  test('hermes.env is a configuration', () => {
    const lines = readFileSync(join(ROOT, 'deploy/systemd/hermes.env'), 'utf8').split('\n');
    const given = Object.fromEntries(lines.flatMap((line) => (/^HERMES_/.test(line) ? [line.split('=')] : [])));
    expect(Object.keys(given).length).toBeGreaterThan(3);
    expect(loadConfig({}, given, 'none').values.nats_url).toBe(given.HERMES_NATS_URL);
  });
});
