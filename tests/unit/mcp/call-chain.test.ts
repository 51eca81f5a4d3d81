import { describe, expect, test } from 'vitest';
import { HermesError } from '../../../shared/errors.js';
import { callBench } from '../../support/call-bench.js';

describe('the chain', () => {
  test('W7: the caller adds itself at the end, so that A→B→A ends at once as call_cycle', async () => {
    const made = callBench();
    const { serve, fails, clock } = made;
    const inner = made.callerOf('worker_v1.0');
    await serve('coordinator_v1.0', async () => 'never');
    await serve('worker_v1.0', ({ request }) =>
      inner.call({
        callee: 'coordinator_v1.0',
        method: 'work',
        params: {},
        chain: request.chain,
        deadlineAt: request.deadline_unix_ms,
      }),
    );
    const from = clock.now();
    const error = await fails();
    expect(error.reason).toBe('call_cycle');
    expect(clock.now() - from).toBeLessThan(20);
  });

  test('D9: a cancel reaches three levels down within a second', async () => {
    const made = callBench();
    const { serve, clock, caller, spec } = made;
    const ended: string[] = [];
    const level = async (name: string, next?: string) => {
      const own = made.callerOf(`${name}_v1.0`);
      await serve(`${name}_v1.0`, async ({ request, deadline }) => {
        try {
          if (!next) return await clock.sleep(60_000, deadline.signal);
          const { chain, deadline_unix_ms } = request;
          return await own.call({
            callee: `${next}_v1.0`,
            method: 'work',
            params: {},
            chain,
            deadlineAt: deadline_unix_ms,
            signal: deadline.signal,
          });
        } finally {
          ended.push(name);
        }
      });
    };
    await level('third');
    await level('second', 'third');
    await level('worker', 'second');
    const stop = new AbortController();
    const call = caller.call(spec({ deadlineAt: clock.now() + 60_000, signal: stop.signal }));
    call.catch(() => undefined);
    await clock.advance(200);
    stop.abort(new HermesError('cancelled', 'a person says stop'));
    await clock.advance(1_000);
    expect(ended.sort()).toEqual(['second', 'third', 'worker']);
  });
});
