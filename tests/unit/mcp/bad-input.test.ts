import { describe, expect, test } from 'vitest';
import { decodeMessage, encodeMessage } from '../../../mcp/index.js';
import { HermesError, type WireError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { callBench } from '../../support/call-bench.js';
import { mcpBench } from '../../support/mcp-bench.js';

describe('bad input that the fuzzer found', () => {
  test('a request_id almost as long as a message is answered, cut', async () => {
    const bench = mcpBench();
    await bench.serve('worker_v1.0', async () => 'done');
    const long = 'x'.repeat(LIMITS.messageBytes - 300);
    const answer = await bench.ask(bench.request({ request_id: long }));
    expect(answer?.error?.data.reason).toBe('invalid_params');
    expect(answer?.request_id).toHaveLength(LIMITS.requestIdChars);
  });

  test('a version that cannot be made a text is a 400, not a defect of ours', async () => {
    const bench = mcpBench();
    await bench.serve('worker_v1.0', async () => 'done');
    const answer = await bench.ask(bench.request({ mcp_version: { toString: 1, valueOf: 1 } }));
    expect(answer?.error?.data.reason).toBe('bad_version');
  });

  test('answers, events and beats that nobody can read are counted and logged once, as refusals', async () => {
    const bench = callBench();
    await bench.serve('worker_v1.0', async () => 'done');
    await bench.serveAs('worker_v1.0', 'worker-00000002', async () => 'done');
    await bench.call();
    const subjects = ['hermes.default.event.tester.agent.degraded', 'hermes.default.beat.worker'];
    for (const subject of subjects) bench.hand.bus.publish(subject, Uint8Array.from([0xc1]));
    bench.hand.bus.publish('hermes.default.event.tester.call.cancel', Uint8Array.from([0x7b]));
    await bench.clock.advance(20);
    const counted = bench.counted.filter(({ name }) => name === 'mcpRejected');
    expect(counted.map(({ labels }) => labels.reason)).toEqual(Array(counted.length).fill('invalid_params'));
    expect(bench.complaints.filter((line) => line === 'message refused')).toHaveLength(counted.length);
    // Both endpoints hear the cancel, the caller the rest.
    expect(counted).toHaveLength(4);
    expect(bench.complaints).not.toContain('a subscription handler failed');
    expect((await bench.call()).response.result).toBe('done');
  });

  test.each<[string, unknown, string]>([
    ['a reason of a later build', { code: 408, message: 'later', data: { reason: 'too_warm' } }, 'deadline'],
    [
      'the name of something every object has',
      { code: 403, message: '', data: { reason: 'constructor' } },
      'not_allowed',
    ],
    ['no data', { code: 400, message: 'bare' }, 'invalid_params'],
    ['a number', 5, 'bad_output'],
    ['a list', [], 'bad_output'],
  ])('an answer whose error is %s ends the call as one of ours', async (_what, error, reason) => {
    const bench = callBench();
    const { bus, liveness } = bench.connect('worker');
    const member = { component: 'worker', instance: 'worker-00000001', version: '1.0', since: 0 };
    await bench.clock.run(liveness.join({ ...member, state: 'ready' }));
    bus.subscribe('hermes.default.direct.worker.*.*', ({ payload, reply }) => {
      const { request_id } = decodeMessage(payload).message;
      bus.publish(String(reply), encodeMessage({ jsonrpc: '2.0', request_id, error, served_by: 7, timing: null }));
    });
    const thrown = await bench.fails({ retry: { max_attempts: 1 } });
    expect(thrown.reason).toBe(reason);
    expect(thrown.cause).toBeUndefined();
  });

  test('an error of ours goes over the wire and back unchanged', () => {
    const error = new HermesError('held', 'held by a person', { suggestion: 'release it' });
    const back = HermesError.fromWire(JSON.parse(JSON.stringify(error.toWire())) as WireError);
    expect(back).toMatchObject({ reason: 'held', message: 'held by a person', data: { suggestion: 'release it' } });
  });
});
