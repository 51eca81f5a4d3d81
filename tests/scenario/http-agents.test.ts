import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpSite, startHttpSite } from '../support/http-site.js';

/** Agents that join and leave a running site over HTTP. */
let site: HttpSite;
beforeAll(async () => {
  site = await startHttpSite();
});
afterAll(() => site.stop());

const TEMPLATE = { name: 'sample_agent', module: 'agents/template' };
const leave = (name: string): Promise<Response> => fetch(`${site.http.url}/v1/agents/${name}`, { method: 'DELETE' });
const names = async (): Promise<string[]> =>
  ((await (await site.get('/v1/agents')).json()) as { name: string }[]).map(({ name }) => name);
const goal = async (text: string): Promise<Record<string, unknown>> =>
  (await (await site.post('/v1/goals?wait=20000', { goal: text })).json()) as Record<string, unknown>;

describe('an agent that joins', () => {
  test('is listed, described, dispatched by its sentences, and gone after it has left', async () => {
    const before = await names();
    const response = await site.post('/v1/agents', TEMPLATE);
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      name: 'sample_agent',
      component: 'sample_agent_v1.0',
      instance: expect.stringMatching(/^sample_agent-/),
    });
    expect(await names()).toEqual([...before, 'sample_agent'].sort());
    const described = await (await site.get('/v1/agents/sample_agent')).json();
    expect(described).toMatchObject({ state: 'ready', methods: ['sample_agent_overview'], manifest: { homes: [] } });

    for (const text of ['查看PLC-003的样板概况', 'sample agent overview of PLC-003']) {
      expect(await goal(text), text).toMatchObject({
        state: 'completed',
        plan: { steps: [{ callee: 'sample_agent_v1.0', result: { device_id: 'PLC-003' } }] },
      });
    }

    expect((await leave('sample_agent')).status).toBe(204);
    expect(await names()).toEqual(before);
    expect(await goal('查看PLC-003的样板概况')).toMatchObject({
      state: 'failed',
      error: { data: { reason: 'no_worker' } },
    });
    expect(await (await site.get('/readyz')).json()).toMatchObject({ status: 'ready' });
    expect((await leave('sample_agent')).status).toBe(404);

    expect((await site.post('/v1/agents', TEMPLATE)).status).toBe(201);
    expect(await goal('查看PLC-003的样板概况')).toMatchObject({ state: 'completed' });
    expect((await site.post('/v1/agents', TEMPLATE)).status).toBe(400);
    expect((await leave('sample_agent')).status).toBe(204);
  });

  test('may read and do no more', async () => {
    await site.factory.join('plc_reader', 'agents/plc');
    const call = async (method: string, params: unknown): Promise<{ status: number; text: string }> => {
      const response = await site.post('/v1/agents/plc_reader/call', { method, params });
      return { status: response.status, text: await response.text() };
    };
    expect(await call('read_points', { device_id: 'PLC-003', points: ['temperature'] })).toMatchObject({ status: 200 });
    const before = site.factory.world.frames({ device: 'PLC-003' }).filter((frame) => frame.fc >= 5).length;
    const written = await call('write_point', { device_id: 'PLC-003', point: 'heating_power', value: 20 });
    expect(written).toMatchObject({ status: 403, text: expect.stringContaining('may only read') });
    expect(site.factory.world.frames({ device: 'PLC-003' }).filter((frame) => frame.fc >= 5).length).toBe(before);
    expect((await leave('plc_reader')).status).toBe(204);
  });

  test.each([
    ['a name in capitals', { name: 'Pump' }, '/name'],
    ['no name', {}, '/name'],
    ['the name of a row', { ...TEMPLATE, name: 'plc_controller' }, '/name'],
    ['a name that the product uses', { ...TEMPLATE, name: 'journal' }, '/name'],
    ['a folder that is not there', { name: 'nobody_at_all' }, '/module'],
    ['a folder without an agent', { name: 'pump', module: 'agents/runtime' }, '/module'],
    ['a way up', { name: 'pump', module: 'agents/../cli' }, '/module'],
    ['a way up at the start', { name: 'pump', module: '../agents/template' }, '/module'],
    ['an absolute path', { name: 'pump', module: '/etc/passwd' }, '/module'],
    ['an address', { name: 'pump', module: 'https://example.com/agents/pump' }, '/module'],
    ['data as a module', { name: 'pump', module: 'data:text/javascript,1' }, '/module'],
    ['another folder of the product', { name: 'pump', module: 'coordinator' }, '/module'],
    ['a folder deeper down', { name: 'pump', module: 'agents/runtime/plan' }, '/module'],
    ['a file', { name: 'pump', module: 'agents/template/index.ts' }, '/module'],
    ['a blank', { name: 'pump', module: 'agents/template ' }, '/module'],
    ['an unknown field', { ...TEMPLATE, grants: ['modbus.write'] }, '/grants'],
  ])('%s is refused with a problem document that names the field', async (_what, body, pointer) => {
    const before = await names();
    const response = await site.post('/v1/agents', body);
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    const problem = (await response.json()) as { fields: { pointer: string }[] };
    expect(problem.fields.map((field) => field.pointer)).toContain(pointer);
    expect(await names()).toEqual(before);
  });

  test('an agent of the topology does not leave', async () => {
    const response = await leave('plc_controller');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ reason: 'invalid_params', fields: [{ pointer: '/name' }] });
    expect(await names()).toContain('plc_controller');
  });

  test('both calls stand in the description of the API', async () => {
    const api = (await (await site.get('/openapi.json')).json()) as { paths: Record<string, Record<string, unknown>> };
    expect(api.paths['/v1/agents']).toHaveProperty('post');
    expect(api.paths['/v1/agents/{name}']).toHaveProperty('delete');
  });
});
