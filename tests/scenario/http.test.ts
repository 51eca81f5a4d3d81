import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoTopology } from '../support/demo-site.js';
import { type HttpSite, startHttpSite } from '../support/http-site.js';

/** The HTTP side as a caller meets it: status codes, problem documents, streams, conversations. */
let site: HttpSite;
beforeAll(async () => {
  site = await startHttpSite();
});
afterAll(() => site.stop());

type Json = Record<string, unknown> & { plan: { steps: Record<string, unknown>[] } };
const json = async (response: Promise<Response>): Promise<Json> => (await (await response).json()) as Json;

describe('a goal', () => {
  test('is accepted with 202 and links, and waited for with ?wait', async () => {
    const accepted = await site.post('/v1/goals', { goal: '查PLC-003状态' });
    expect(accepted.status).toBe(202);
    const body = (await accepted.json()) as Json;
    expect(Object.keys(body).sort()).toEqual(['goal_id', 'links', 'session_id', 'state', 'trace_id']);
    const waited = await site.post('/v1/goals?wait=10000', { goal: '查PLC-003状态' });
    expect(waited.status).toBe(200);
    expect(await waited.json()).toMatchObject({ state: 'completed', language: 'zh', task_type: 'query' });
  });

  test('a dry run plans, checks and does nothing', async () => {
    const before = site.factory.world.frames().length;
    const rehearsed = await json(site.post('/v1/goals', { goal: 'restart PLC-004', dry_run: true, explain: true }));
    expect(rehearsed).toMatchObject({ outcome: 'plan', placed_by: 'rules', preflight: { ok: true, problems: [] } });
    expect(rehearsed.plan.steps[0]).toMatchObject({
      callee: 'plc_controller_v1.2',
      method: 'restart_device',
      params: { device_id: 'PLC-004' },
    });
    expect(rehearsed.goal_id).toBeUndefined();
    expect(site.factory.world.frames().length).toBe(before);
  });

  test.each([
    ['an empty goal', '/v1/goals', { goal: '' }, 400, '/goal'],
    ['a goal of blanks', '/v1/goals', { goal: '  ' }, 400, '/goal'],
    ['malformed JSON', '/v1/goals', '{"goal":', 400, ''],
    ['an unknown field', '/v1/goals', { goal: 'x', nope: 1 }, 400, '/nope'],
    ['100 kB', '/v1/goals', { goal: 'a'.repeat(100_000) }, 413, ''],
    ['a time-out below the least', '/v1/goals', { goal: 'x', timeout_ms: 5 }, 400, '/timeout_ms'],
    ['both deadlines', '/v1/goals', { goal: 'x', timeout_ms: 500, deadline_unix_ms: 9e12 }, 400, '/deadline_unix_ms'],
    ['a deadline that is over', '/v1/goals', { goal: 'x', deadline_unix_ms: 1 }, 400, '/deadline_unix_ms'],
    ['a wait that is too long', '/v1/goals?wait=999999', { goal: 'x' }, 400, '/wait'],
  ])('%s is refused with a problem document that names the field', async (_what, path, body, status, pointer) => {
    const response = await site.post(path, body);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    const problem = (await response.json()) as { status: number; fields: { pointer: string }[] };
    expect(problem.status).toBe(status);
    expect(problem.fields.map((field) => field.pointer)).toContain(pointer);
  });

  test('another media type is 415; an unknown goal, route and device are 404', async () => {
    expect((await site.post('/v1/goals', 'goal=x', { 'content-type': 'text/plain' })).status).toBe(415);
    for (const path of ['/v1/goals/g-aaaaaaaaaaaaaaaa', '/v1/nothing', '/v1/devices/PLC-099', '/v1/traces/abc']) {
      const response = await site.get(path);
      expect(response.status, path).toBe(404);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
    }
    expect((await site.get('/v1/memory/..%2Fetc')).status).toBe(400);
    expect((await site.get('/v1/audit')).status).toBe(400);
  });

  test('P19: one Idempotency-Key, one goal, however many ask at once; another body is 409', async () => {
    const headers = { 'idempotency-key': 'press-1' };
    const asked = await Promise.all(
      Array.from({ length: 10 }, () => json(site.post('/v1/goals', { goal: '查PLC-002状态' }, headers))),
    );
    expect(new Set(asked.map((goal) => goal.goal_id)).size).toBe(1);
    const other = await site.post('/v1/goals', { goal: '查PLC-001状态' }, headers);
    expect(other.status).toBe(409);
    expect(await other.json()).toMatchObject({ reason: 'version_conflict' });
  });
});

describe('following', () => {
  const events = async (path: string, headers: Record<string, string> = {}) => {
    const text = await (await site.get(path, { accept: 'text/event-stream', ...headers })).text();
    const data = text.split('\n').filter((line) => line.startsWith('data:'));
    return data.map((line) => JSON.parse(line.slice(5)) as { seq: number; type: string; state?: string });
  };

  test('B18: events count from 1 without gaps, end with the final state, resume after the last one seen', async () => {
    const goal = await json(site.post('/v1/goals?wait=10000', { goal: '查PLC-003状态' }));
    const all = await events(`/v1/goals/${goal.goal_id}/events`);
    expect(all.map((event) => event.seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.at(-1)).toMatchObject({ type: 'state', state: 'completed' });
    expect(all.map((event) => event.type)).toEqual(expect.arrayContaining(['state', 'phase', 'step', 'answer']));
    const rest = await events(`/v1/goals/${goal.goal_id}/events`, { 'last-event-id': '3' });
    expect(rest).toEqual(all.slice(3));
    expect(await events(`/v1/goals/${goal.goal_id}/events`, { 'last-event-id': '999' })).toEqual([]);
  });

  test('a trace shows the way through the rooms, worker and coordinator', async () => {
    const goal = await json(site.post('/v1/goals?wait=10000', { goal: '查PLC-003状态' }));
    const trace = (await json(site.get(`/v1/traces/${goal.trace_id}`))) as unknown as {
      stages: { name: string; component: string }[];
    };
    const names = trace.stages.map((stage) => stage.name);
    expect(names).toEqual(expect.arrayContaining(['goal', 'session.parse', 'plan', 'mailbox', 'execute', 'answer']));
    expect(new Set(trace.stages.map((stage) => stage.component))).toContain('plc_controller_v1.2');
  });
});

describe('the coordinator’s own record', () => {
  interface Page {
    readonly entries: readonly { readonly seq: number }[];
    readonly next?: number;
  }

  test('is read page by page, as any other is', async () => {
    const goal = await json(site.post('/v1/goals?wait=10000', { goal: '查PLC-003状态' }));
    const path = `/v1/audit?scope=goal_${goal.goal_id}`;
    const page = async (more: string): Promise<Page> => (await (await site.get(path + more)).json()) as Page;
    const whole = await page('');
    expect(whole.entries.length).toBeGreaterThan(2);
    expect(whole.next).toBeUndefined();
    const read: number[] = [];
    for (let from: number | undefined = 1; from !== undefined; ) {
      const { entries, next }: Page = await page(`&limit=2&from_n=${from}`);
      expect(entries.length).toBeLessThan(3);
      if (from === 1) expect(next).toBe(3);
      read.push(...entries.map(({ seq }) => seq));
      from = next;
    }
    expect(read).toEqual(whole.entries.map(({ seq }) => seq));
  });

  test('is served in place for reads only, and refuses what the bus refuses', async () => {
    const { agent } = site.factory.site.coordinator;
    const scope = 'goal_g-aaaaaaaaaaaaaaaa';
    const admin = { id: 'local_admin', roles: ['admin'] };
    const how = { principal: admin, deadlineAt: site.factory.clock.now() + 5_000 };
    for (const method of ['ask', 'submit_goal', 'nothing']) {
      await expect(agent.read(method, { scope }, how)).rejects.toMatchObject({ reason: 'unknown_method' });
    }
    await expect(agent.read('audit_query', { scope, limit: 0 }, how)).rejects.toMatchObject({
      reason: 'invalid_params',
    });
    const nobody = { ...how, principal: { id: 'nobody', roles: [] } };
    await expect(agent.read('audit_query', { scope }, nobody)).rejects.toMatchObject({ reason: 'scope_denied' });
    const late = { ...how, deadlineAt: site.factory.clock.now() - 1 };
    await expect(agent.read('audit_query', { scope }, late)).rejects.toMatchObject({ reason: 'deadline' });
    expect(await agent.read('audit_query', { scope }, { ...how, consistency: 'eventual' })).toEqual({ entries: [] });
  });
});

describe('a conversation', () => {
  test('an unknown device is asked about; the answer goes on with the same goal', async () => {
    const session = await json(site.post('/v1/sessions', {}));
    const path = `/v1/sessions/${session.session_id}/messages?wait=10000`;
    const asked = await json(site.post(path, { text: '查PLC-099状态' }));
    expect(asked).toMatchObject({ state: 'paused', prompt: { reason: 'unknown_entity' } });
    expect(await json(site.get(`/v1/sessions/${session.session_id}`))).toMatchObject({ state: 'paused' });
    const answered = await json(site.post(path, { text: 'PLC-009' }));
    expect(answered).toMatchObject({ goal_id: asked.goal_id, state: 'completed' });
    expect(answered.plan.steps[0]).toMatchObject({ params: { device_id: 'PLC-009' }, state: 'completed' });
    const again = await json(site.post(path, { text: '再查一遍' }));
    expect(again).toMatchObject({ state: 'completed' });
    expect(again.goal_id).not.toBe(asked.goal_id);
    expect(again.plan.steps[0]).toMatchObject({ params: { device_id: 'PLC-009' } });
  });

  test('"just now" stays in its own conversation', async () => {
    const [one, two] = [await json(site.post('/v1/sessions', {})), await json(site.post('/v1/sessions', {}))];
    const say = (session: Json, text: string) =>
      json(site.post(`/v1/sessions/${session.session_id}/messages?wait=10000`, { text }));
    await say(one, '查PLC-003状态');
    const stranger = await say(two, '重启它');
    expect(stranger.state).toBe('paused');
    expect(stranger.plan.steps).toEqual([]);
    expect((await say(one, '再查一遍')).plan.steps[0]).toMatchObject({ params: { device_id: 'PLC-003' } });
  });

  test('a paused goal can be cancelled, a finished one stays as it is', async () => {
    const paused = await json(site.post('/v1/goals?wait=5000', { goal: '查PLC-099状态' }));
    const cancelled = await json(site.post(`/v1/goals/${paused.goal_id}/cancel`, {}));
    expect(cancelled).toMatchObject({ state: 'cancelled', error: { data: { reason: 'cancelled' } } });
    expect(await json(site.post(`/v1/goals/${paused.goal_id}/cancel`, {}))).toMatchObject({ state: 'cancelled' });
  });

  test('D4: a restart under way is cancelled within a second, and rolled back on the record', async () => {
    site.factory.world.addFault({ device: 'PLC-011', kind: 'reboot_never_ends' });
    const goal = await json(site.post('/v1/goals', { goal: '重启PLC-011' }));
    const newest = async () => (await site.factory.audit('device_PLC-011')).at(-1);
    await expect.poll(newest, { timeout: 3_000 }).toMatchObject({ kind: 'started' });
    const began = site.factory.clock.now();
    const cancelled = await json(site.post(`/v1/goals/${goal.goal_id}/cancel`, {}));
    expect(cancelled.state).toBe('cancelled');
    expect(site.factory.clock.now() - began).toBeLessThan(1_000);
    await expect
      .poll(newest, { timeout: 3_000 })
      .toMatchObject({ kind: 'finished', rollback: { executed: true }, error: { data: { reason: 'cancelled' } } });
  });
});

describe('the door', () => {
  const status = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const { port } = site.http;
      request({ port, host: '127.0.0.1', path: '/healthz', headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });

  test('without authentication only this machine is served: no foreign host, no foreign origin', async () => {
    expect(await status({ host: `localhost:${site.http.port}` })).toBe(200);
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: 'http://evil.example' })).toBe(403);
    expect(await status({ origin: `http://127.0.0.1:${site.http.port}`, host: `127.0.0.1:${site.http.port}` })).toBe(
      200,
    );
  });

  test('health, readiness, agents, devices, OpenAPI and its pages are there', async () => {
    expect(await json(site.get('/healthz'))).toMatchObject({ status: 'live' });
    expect(await json(site.get('/readyz'))).toMatchObject({
      ...{
        status: 'ready',
        bus: { ok: true },
        log: { ok: true },
        agents: { ok: true, missing: [] },
        missing_agents: [],
      },
    });
    const agents = (await (await site.get('/v1/agents')).json()) as { name: string; instances: unknown[] }[];
    const demo = demoTopology();
    const names = [...demo.agents.map(({ name }) => name), 'production_coordinator'];
    expect(agents.map((agent) => agent.name).sort()).toEqual(names.sort());
    expect(await json(site.get('/v1/agents/plc_controller'))).toMatchObject({
      manifest: { component: 'plc_controller_v1.2' },
    });
    const devices = (await (await site.get('/v1/devices')).json()) as { link: { port: number; unit: number } }[];
    expect(devices).toHaveLength(demo.devices.length);
    expect(devices[6]?.link).toMatchObject({ unit: 7, port: expect.any(Number) });
    expect(await json(site.get('/v1/devices/PLC-003'))).toMatchObject({
      points: { temperature: { unit: '°C', quality: 'good' } },
    });
    const api = (await json(site.get('/openapi.json'))) as unknown as { openapi: string; paths: object };
    expect(api.openapi).toBe('3.1.0');
    expect(Object.keys(api.paths)).toEqual(expect.arrayContaining(['/v1/goals', '/v1/goals/{id}/events', '/v1/audit']));
    expect((await site.get('/docs/')).status).toBe(200);
  });
});
