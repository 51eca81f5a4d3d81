import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HermesProcess, startHermes } from '../support/hermes-process.js';

const folder = mkdtempSync(join(tmpdir(), 'hermes-audit-'));
const dataDir = join(folder, 'data');
/** Somewhere else: the file and keys, and nothing more. */
const elsewhere = mkdtempSync(join(tmpdir(), 'hermes-auditor-'));
let site: HermesProcess;
let url = '';

beforeAll(async () => {
  site = startHermes(['up', '--port', '0', '--sim-port', '0', '--data-dir', dataDir]);
  const [, page = ''] = await site.find(/page {5}(http:\/\/\S+)/);
  url = page;
  const goal = await fetch(`${url}/v1/goals?wait=20000`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ goal: '查PLC-007状态，如果离线，重启它并通知张工' }),
  });
  expect(await goal.json()).toMatchObject({ state: 'completed' });
}, 60_000);
afterAll(async () => {
  await site.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
  rmSync(elsewhere, { recursive: true, force: true });
});

async function hermes(...args: readonly string[]) {
  const ran = startHermes(['audit', ...args], { HERMES_URL: url });
  return { exit: await ran.exited, said: ran.output() };
}
const key = (component: string): string => {
  const copy = join(elsewhere, `${component}.pem`);
  copyFileSync(join(dataDir, 'keys', `${component}.pub.pem`), copy);
  return copy;
};

test('an export verifies elsewhere with the file and the keys, and not after one byte was changed', async () => {
  const file = join(elsewhere, 'plc-007.json');
  expect(await hermes('export', '--scope', 'device_PLC-007', '-o', file)).toMatchObject({ exit: 0 });
  const keys = ['--key', key('plc_controller'), '--key', key('production_coordinator')];
  const good = await hermes('verify', file, ...keys, '--json');
  expect(good.exit).toBe(0);
  expect(JSON.parse(good.said)).toMatchObject({
    ok: true,
    findings: [],
    about: { scope: 'device_PLC-007', component: 'plc_controller', exported_for: 'local_admin' },
    countersignatures: [{ by: 'production_coordinator', state: 'valid' }],
  });
  const { trace } = JSON.parse(readFileSync(file, 'utf8')) as { trace: { by: string; stages: { name: string }[] }[] };
  expect(trace.map(({ by }) => by)).toEqual(['plc_controller', 'production_coordinator']);
  for (const { stages } of trace) expect(stages.map(({ name }) => name).join()).toContain('restart_device');
  const bytes = readFileSync(file);
  const at = bytes.indexOf('restart_device');
  bytes[at] = 'R'.charCodeAt(0);
  writeFileSync(file, bytes);
  const bad = await hermes('verify', file, ...keys);
  expect(bad).toMatchObject({ exit: 1, said: expect.stringMatching(/NOT as it was signed\n {2}entry \d+/) });
}, 60_000);

test('a wrong key is said with both ids; without any it is a usage error; a folder is no file', async () => {
  const file = join(elsewhere, 'plc-007.json');
  writeFileSync(file, await (await fetch(`${url}/v1/audit/export?scope=device_PLC-007`)).text());
  const wrong = await hermes('verify', file, '--key', key('power_supply_agent'));
  expect(wrong).toMatchObject({
    exit: 1,
    said: expect.stringMatching(/key: .*ed25519:\w{16}; the key given is ed25519:\w{16}/),
  });
  expect(await hermes('verify', file)).toMatchObject({ exit: 2 });
  expect(await hermes('verify', file, '--key', file)).toMatchObject({ exit: 2 });
  expect(await hermes('verify', elsewhere, '--key', key('power_supply_agent'))).toMatchObject({ exit: 1 });
  expect(await hermes('export', '--scope', 'device_PLC-007', '-o', file)).toMatchObject({ exit: 2 });
}, 60_000);

test('show lists and filters; the same over HTTP has the fields of the contract, and goes on over pages', async () => {
  const shown = await hermes('show', 'device_PLC-007', '--outcome', 'confirmed', '--json');
  const { entries } = JSON.parse(shown.said) as { entries: Record<string, unknown>[] };
  expect(entries.length).toBeGreaterThan(0);
  expect(new Set(entries.map(({ outcome }) => outcome))).toEqual(new Set(['confirmed']));
  for (const entry of entries) {
    expect(Object.keys(entry)).toEqual(
      expect.arrayContaining(
        `kind operation_id request_id goal_id step_id scope seq at clock_offset_ms principal caller component instance
        tool params pre_state snapshot_ids effects verification rollback outcome prev hash`.split(/\s+/),
      ),
    );
  }
  expect((await hermes('show', 'device_PLC-007')).said).toContain('restart_device');
  const first = (await (await fetch(`${url}/v1/audit?scope=device_PLC-007&limit=1`)).json()) as { next: number };
  expect(first.next).toBe(2);
  const refused = await fetch(`${url}/v1/audit?goal=g-aaaaaaaaaaaaaaaa`);
  expect(refused.status).toBe(400);
  expect(JSON.stringify(await refused.json())).toContain('scope');
  expect((await fetch(`${url}/v1/audit/export?scope=device_PLC-099`)).status).toBe(404);
}, 60_000);

test('reading it is on the record of the component that was read', async () => {
  const { said } = await hermes('show', 'audit_access', '--component', 'plc_controller', '--json');
  const { entries } = JSON.parse(said) as {
    entries: { principal: { id: string }; data: { what: string; about: string } }[];
  };
  const looks = entries.map(({ data, principal }) => `${principal.id} ${data.what} ${data.about}`);
  expect(looks).toContain('local_admin audit_export device_PLC-007');
  expect(looks).toContain('local_admin audit_query device_PLC-007');
}, 60_000);

test('the folder of a stopped Hermes can be read and exported; a running one holds it', async () => {
  const stopped = ['--data-dir', dataDir];
  expect(await hermes('show', 'device_PLC-007', ...stopped)).toMatchObject({ exit: 1 });
  await site.kill('SIGTERM');
  const { said, exit } = await hermes('show', 'device_PLC-007', ...stopped);
  expect({ exit, said }).toMatchObject({ exit: 0, said: expect.stringContaining('restart_device') });
  const file = join(elsewhere, 'stopped.json');
  expect(await hermes('export', '--scope', 'device_PLC-007', '-o', file, ...stopped)).toMatchObject({ exit: 0 });
  expect(await hermes('verify', file, '--key', key('plc_controller'))).toMatchObject({ exit: 0 });
}, 60_000);
