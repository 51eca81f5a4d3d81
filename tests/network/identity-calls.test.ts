import { afterAll, beforeAll, expect, test } from 'vitest';
import { scopes } from '../../agents/runtime/index.js';
import { COORDINATOR } from '../../coordinator/index.js';
import { type Caller, decodeMessage, encodeMessage, subjects } from '../../mcp/index.js';
import type { Transport } from '../../mcp/transport/index.js';
import { natsWorkers } from '../support/nats-workers.js';
import { untilTrue } from '../support/transport-nats.js';
import { PLC } from '../support/workers-bench.js';

/** Real agents on a server that knows identities: what is right works, what is claimed does not. */
let bench: Awaited<ReturnType<typeof natsWorkers>>;
let coordinator: Caller;
let vision: Caller;
let rogue: Transport;
const TENANT = 'default';

beforeAll(async () => {
  bench = await natsWorkers({ identities: ['vision'], allow: { '*': [COORDINATOR], write_point: ['vision'] } });
  await bench.start();
  await bench.start();
  coordinator = await bench.caller(COORDINATOR);
  vision = await bench.caller('vision');
  rogue = await bench.connect('vision');
}, 60_000);
afterAll(() => bench.stop(), 60_000);

const write = (value: number) => ({
  callee: `${PLC}_v1.0`,
  method: 'write_point',
  params: { device_id: 'PLC-007', point: 'temperature_setpoint', value },
  deadlineAt: bench.clock.now() + 10_000,
});
const admin = { principal: { id: 'wang', roles: ['admin'] } };

test('a coordinator’s calls are served under least permissions, and the server refuses nobody anything', async () => {
  const { response } = await coordinator.call({ ...write(25), ...admin });
  expect(response.result).toBeDefined();
  const read = { callee: `${PLC}_v1.0`, method: 'health', params: {}, deadlineAt: bench.clock.now() + 10_000 };
  expect((await coordinator.call({ ...read, ...admin })).response.result).toBeDefined();
  expect(bench.faults).toEqual([]);
}, 30_000);

test('a method that a component may not call: 403 not_allowed', async () => {
  const spec = { callee: `${PLC}_v1.0`, method: 'health', params: {}, deadlineAt: bench.clock.now() + 10_000 };
  await expect(vision.call(spec)).rejects.toMatchObject({ code: 403, reason: 'not_allowed' });
}, 30_000);

test('a principal that a component claims without the right to: it is recorded as itself', async () => {
  const { response } = await vision.call({ ...write(26), ...admin, requestId: 'claimed' });
  const owner = bench.agents.find(({ cell }) => cell.instance === response.served_by);
  const entries = (await owner?.cell.view.entries(scopes.device('PLC-007'))) ?? [];
  const mine = entries.filter(({ request_id }) => request_id === 'claimed');
  expect(mine.length).toBeGreaterThan(0);
  expect(JSON.stringify(mine)).toContain('component:vision');
  expect(JSON.stringify(mine)).not.toContain('wang');
}, 30_000);

test('a caller other than the subject says: 403 bad_caller; an answer elsewhere than to the caller: none', async () => {
  const heard: Record<string, unknown>[] = [];
  const foreign: string[] = [];
  const own = subjects.reply(TENANT, 'vision', 'nonce');
  rogue.bus.subscribe(own, ({ payload }) => void heard.push(decodeMessage(payload).message));
  const other = await bench.connect(COORDINATOR);
  const aimed = subjects.reply(TENANT, COORDINATOR, 'guessed');
  other.bus.subscribe(aimed, ({ subject }) => void foreign.push(subject));
  await Promise.all([rogue.bus.flush(), other.bus.flush()]);
  const message = (request_id: string, caller: string) =>
    encodeMessage({
      jsonrpc: '2.0',
      mcp_version: '1.2',
      request_id,
      caller: `${caller}_v1.0`,
      tenant: TENANT,
      ...write(27),
      timeout_ms: 5_000,
      deadline_unix_ms: bench.clock.now() + 5_000,
    });
  const subject = subjects.call(TENANT, PLC, 1, 'vision');
  rogue.bus.publish(subject, message('r-1', 'vision'), { reply: aimed });
  rogue.bus.publish(subject, message('r-2', COORDINATOR), { reply: own });
  await untilTrue(() => heard.length === 1);
  expect(heard[0]).toMatchObject({ request_id: 'r-2', error: { code: 403, data: { reason: 'bad_caller' } } });
  expect(foreign).toEqual([]);
  expect(bench.faults).toEqual([]);
}, 30_000);
