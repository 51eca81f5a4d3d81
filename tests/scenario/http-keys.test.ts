import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpSite, startHttpSite } from '../support/http-site.js';

let site: HttpSite;
beforeAll(async () => {
  site = await startHttpSite();
});
afterAll(() => site.stop());

interface Keys {
  readonly master: string;
  readonly data_keys: { number: number; since: string; in_use: boolean }[];
  readonly components: { component: string; key_id: string; public_pem: string }[];
}
const keys = async (): Promise<Keys> => (await (await site.get('/v1/keys')).json()) as Keys;

test('keys are listed by number and id; each component’s public key is there, and no secret', async () => {
  const listed = await keys();
  expect(listed.data_keys.map(({ number, in_use }) => [number, in_use])).toEqual([[1, true]]);
  const names = listed.components.map(({ component }) => component);
  expect(names).toContain('production_coordinator');
  expect(names).toContain('plc_controller');
  expect(new Set(listed.components.map(({ key_id }) => key_id)).size).toBe(names.length);
  for (const { public_pem } of listed.components) expect(public_pem).toMatch(/^-----BEGIN PUBLIC KEY-----/);
  expect(JSON.stringify(listed)).not.toMatch(/PRIVATE|wrapped/);
});

test('a rotation in the middle of work: everything stays readable, and it is on the record by whom', async () => {
  const before = (await (await site.post('/v1/goals?wait=20000', { goal: '查PLC-003状态' })).json()) as {
    goal_id: string;
  };
  const rotated = await site.post('/v1/keys/rotate', {}, { 'x-hermes-user': 'chen' });
  expect(rotated.status).toBe(200);
  expect((await keys()).data_keys.map(({ number, in_use }) => [number, in_use])).toEqual([
    [1, false],
    [2, true],
  ]);
  const after = await site.post('/v1/goals?wait=20000', { goal: '把PLC-003的温度设定改为41度' });
  expect(((await after.json()) as { state: string }).state).toBe('completed');
  expect((await site.get(`/v1/goals/${before.goal_id}`)).status).toBe(200);
  const audit = await site.get('/v1/audit?scope=config_keys');
  const { entries } = (await audit.json()) as { entries: { kind: string; principal: { id: string }; data: object }[] };
  expect(entries).toMatchObject([{ kind: 'key', principal: { id: 'chen' }, data: { change: 'rotated', number: 2 } }]);
});

test('a re-wrap without a new master key says how to give one', async () => {
  const refused = await site.post('/v1/keys/rotate', { rewrap: true });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    reason: 'invalid_params',
    suggestion: expect.stringContaining('--next'),
  });
  expect((await site.post('/v1/keys/rotate', { rewarp: true })).status).toBe(400);
});
