import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpClient } from '../../cli/http-client.js';
import { openHealthServer } from '../../coordinator/index.js';
import { HermesError } from '../../shared/errors.js';
import { type HttpSite, startHttpSite } from '../support/http-site.js';

/** What an operator of many processes looks at: events, the journal, instances, health. */
let site: HttpSite;
beforeAll(async () => {
  site = await startHttpSite();
});
afterAll(() => site.stop());

const goal = async (text: string): Promise<{ trace_id: string; goal_id: string; state: string }> =>
  (await (await site.post('/v1/goals?wait=20000', { goal: text })).json()) as never;

describe('GET /v1/events', () => {
  test('tells what happens from now on, of one topic if that is asked for', async () => {
    const heard: Record<string, unknown>[] = [];
    const following = (async () => {
      for await (const event of createHttpClient(site.http.url).events('/v1/events?topic=goal.state_changed')) {
        heard.push(event);
        if ((event.data as { state: string }).state === 'completed') return;
      }
    })();
    // What happens before the stream is open is not told.
    const told = async (): Promise<number> => (await goal('查PLC-003状态')) && heard.length;
    await expect.poll(told, { timeout: 20_000 }).toBeGreaterThan(0);
    await following;
    expect(new Set(heard.map(({ topic }) => topic))).toEqual(new Set(['goal.state_changed']));
    expect(heard.at(-1)).toMatchObject({ source: 'production_coordinator', data: { state: 'completed' } });
  });

  test('knows its topics', async () => {
    expect((await site.get('/v1/events?topic=everything', { accept: 'text/event-stream' })).status).toBe(400);
  });
});

describe('GET /v1/journal', () => {
  test('has the request and the response of each step, by trace and by request', async () => {
    const { trace_id, goal_id } = await goal('查PLC-004状态');
    const read = async (query: string): Promise<{ entries: { kind: string; request_id: string }[] }> =>
      (await (await site.get(`/v1/journal?${query}`)).json()) as never;
    const ofTrace = (await read(`trace_id=${trace_id}`)).entries;
    expect(ofTrace.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['direct', 'reply', 'tool']));
    const { entries } = await read(`request_id=${goal_id}.s1.1`);
    expect(new Set(entries.map(({ request_id }) => request_id))).toEqual(new Set([`${goal_id}.s1.1`]));
    expect((await read(`since=${Date.now() + 60_000}`)).entries).toEqual([]);
    expect((await read(`trace_id=${trace_id}&limit=2`)).entries).toEqual(ofTrace.slice(-2));
  });
});

interface Instance {
  readonly instance: string;
  readonly load: number;
  readonly owns: readonly string[];
}

describe('GET /v1/agents', () => {
  const instances = async (): Promise<Record<string, Instance>> => {
    const agents = (await (await site.get('/v1/agents')).json()) as { name: string; instances: Instance[] }[];
    return Object.fromEntries(agents.map(({ name, instances: [first] }) => [name, first as Instance]));
  };

  test('an instance has what it owns: links to devices, a turn, or the goals', async () => {
    const all = await instances();
    const [{ id = '' } = {}] = site.factory.facts.links;
    expect(all.plc_controller?.owns).toContain(`link:${id}`);
    expect(all.production_coordinator?.owns).toEqual([expect.stringMatching(/^resource:/)]);
    for (const { owns } of Object.values(all)) expect(owns).toEqual([...owns].sort());
  });

  test('an instance has its load, while it works and afterwards', async () => {
    const { clock } = site.factory;
    const untilLoad = async (wanted: number): Promise<void> => {
      for (const end = clock.monotonic() + 15_000; ; await clock.sleep(50)) {
        const { load = -1 } = (await instances()).plc_controller ?? {};
        if (load === wanted) return;
        if (clock.monotonic() > end) throw new Error(`the load is ${load}, not ${wanted}`);
      }
    };
    await untilLoad(0);
    const work = goal('重启PLC-007');
    await untilLoad(1);
    expect((await work).state).toBe('completed');
    await untilLoad(0);
  });
});

describe('POST /v1/agents/{instance}/drain', () => {
  test('ends the intake of one instance, which is seen; nobody of that name is 404', async () => {
    expect((await site.post('/v1/agents/plc_controller-nobody22/drain', {})).status).toBe(404);
    const joined = await site.factory.join('plc_reader', 'agents/plc');
    const { instance } = joined.cell;
    const drained = await site.post(`/v1/agents/${instance}/drain`, {});
    expect([drained.status, await drained.json()]).toEqual([200, expect.objectContaining({ instance })]);
    const agent = (await (await site.get('/v1/agents/plc_reader')).json()) as { instances: { state: string }[] };
    expect(agent.instances.map(({ state }) => state)).toEqual(['draining']);
    await site.factory.site.leave('plc_reader');
  });
});

describe('GET /v1/dead-letters', () => {
  test('has what an instance could not answer, with where and why', async () => {
    const { transport } = site.factory.agent('plc_controller').cell.doors;
    transport.bus.publish('hermes.default.call.plc_controller.v1.stranger', new Uint8Array([0x7b, 0x7b]));
    const letters = async () =>
      ((await (await site.get('/v1/dead-letters')).json()) as { letters: Record<string, unknown>[] }).letters;
    await expect.poll(letters, { timeout: 10_000 }).toEqual([
      expect.objectContaining({
        instance: expect.stringMatching(/^plc_controller-/),
        subject: 'hermes.default.call.plc_controller.v1.stranger',
        reason: 'invalid_params',
        begins: '7b7b',
      }),
    ]);
  });
});

describe('GET /v1/mcp/versions', () => {
  test('has the share of each version by caller over all instances, and whether an old one may go', async () => {
    const { transport } = site.factory.agent('plc_controller').cell.doors;
    const old = { mcp_version: '1.1', request_id: 'old-1', caller: 'tester_v1.0', callee: 'plc_controller_v1.0' };
    const message = { jsonrpc: '2.0', ...old, method: 'describe', params: {}, timeout_ms: 1_000 };
    const subject = 'hermes.default.call.plc_controller.v1.tester';
    transport.bus.publish(subject, new TextEncoder().encode(JSON.stringify(message)));
    const shares = async () =>
      ((await (await site.get('/v1/mcp/versions')).json()) as { shares: Record<string, unknown>[] }).shares;
    await expect
      .poll(shares, { timeout: 10_000 })
      .toContainEqual(expect.objectContaining({ version: '1.1', caller: 'tester', messages: 1 }));
    const { current, may_switch_off, silent } = (await (await site.get('/v1/mcp/versions')).json()) as Record<
      string,
      unknown
    >;
    expect([current, silent]).toEqual(['1.2', []]);
    expect(may_switch_off).toHaveProperty('1.1');
  });
});

describe('the health of an agent’s process', () => {
  test('is live, ready or not, and measured', async () => {
    let trouble: HermesError | undefined;
    let facts: Record<string, unknown> = { instances: [] };
    const server = await openHealthServer(
      {
        now: () => 0,
        metricsText: async () => 'hermes_up 1\n',
        ready: async () => {
          if (trouble) throw trouble;
          return facts;
        },
      },
      { host: '127.0.0.1', port: 0 },
    );
    const ask = async (path: string) => {
      const response = await fetch(server.url + path);
      return [response.status, await response.text()];
    };
    expect(await ask('/healthz')).toEqual([200, expect.stringContaining('"live"')]);
    expect(await ask('/readyz')).toEqual([200, expect.stringContaining('"ready"')]);
    expect(await ask('/metrics')).toEqual([200, 'hermes_up 1\n']);
    trouble = new HermesError('log_unavailable', 'the log is away');
    expect(await ask('/readyz')).toEqual([503, expect.stringContaining('the log is away')]);
    trouble = undefined;
    facts = { status: 'unready', bus: { ok: true }, log: { ok: false, error: 'no quorum' } };
    expect(await ask('/readyz')).toEqual([503, expect.stringContaining('no quorum')]);
    await server.close();
  });
});
