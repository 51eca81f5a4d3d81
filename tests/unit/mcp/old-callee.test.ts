import { expect, test } from 'vitest';
import { decodeMessage, encodeMessage } from '../../../mcp/index.js';
import { callBench } from '../../support/call-bench.js';

const same = <T>(bus: T): T => bus;

test('a callee that speaks 1.1 only is asked in 1.1; the caller keeps the deadline itself', async () => {
  const made = callBench();
  const asked: Record<string, unknown>[] = [];
  const { bus, liveness } = made.connect('worker');
  await made.clock.run(
    liveness.join({ component: 'worker', instance: 'worker-1', version: '1.0', since: 0, state: 'ready' }),
  );
  bus.subscribe('hermes.default.direct.worker.worker-1.*', ({ payload, reply }) => {
    const { message } = decodeMessage(payload);
    asked.push(message);
    if (asked.length === 1) bus.publish(reply ?? '', encodeMessage({ request_id: message.request_id, result: 'old' }));
  });
  const caller = made.callerOf('panel_v1.0', same, { speaks: () => ['1.1'] });
  const answer = await made.clock.run(caller.call(made.spec()));
  expect(answer.response.result).toBe('old');
  expect(asked[0]).toMatchObject({ mcp_version: '1.1', method: 'work' });
  expect(asked[0]).not.toHaveProperty('deadline_unix_ms');
  const from = made.clock.now();
  const late = caller.call(made.spec({ deadlineAt: from + 300, retry: { max_attempts: 1 } }));
  await expect(made.clock.run(late)).rejects.toMatchObject({ reason: 'deadline' });
  expect(made.clock.now() - from).toBeLessThanOrEqual(301);
});

test('a callee that speaks no version of ours is a 400 that names what is supported, at once', async () => {
  const made = callBench();
  await made.serve('worker_v1.0', async () => 'never');
  const caller = made.callerOf('panel_v1.0', same, { speaks: () => ['2.0'] });
  await expect(made.clock.run(caller.call(made.spec()))).rejects.toMatchObject({
    code: 400,
    reason: 'bad_version',
    data: { supported: ['1.1', '1.2'] },
  });
});
