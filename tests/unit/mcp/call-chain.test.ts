import { describe, expect, test } from 'vitest';
import type { CallResult, CallSpec, Request, ServedCall } from '../../../mcp/index.js';
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

  describe('A→B→A about keys', () => {
    const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    const OTHER = `00-${'c'.repeat(32)}-${'b'.repeat(16)}-00`;

    /** `a` asks `b` for each of the keys in `onto`; `b` asks `a` back about the first of them, and so on. */
    async function bench(traceRatio?: number) {
      const made = callBench();
      const order: string[] = [];
      const onward = (name: 'a' | 'b', next: 'a' | 'b') => {
        const traced = traceRatio === undefined ? {} : { traceRatio };
        const own = made.callerOf(`${name}_v1.0`, (bus) => bus, traced);
        return async ({ request }: ServedCall): Promise<unknown> => {
          const { key, onto = [], holdMs = 0 } = request.params as { key?: string; onto?: string[]; holdMs?: number };
          order.push(`${name} ${key ?? '-'}`);
          if (holdMs > 0) await made.clock.sleep(holdMs);
          const [first, ...rest] = onto;
          if (first === undefined) return `${name} ${key ?? '-'}`;
          const { response } = await own.call({
            callee: `${next}_v1.0`,
            method: 'work',
            params: { ...(first === '-' ? {} : { key: first }), onto: rest },
            chain: request.chain,
            deadlineAt: request.deadline_unix_ms,
            ...(request.traceparent === undefined ? {} : { traceparent: request.traceparent }),
            ...(request.step_id === undefined ? {} : { stepId: request.step_id }),
          });
          return response.result;
        };
      };
      const actorKey = ({ params }: Request) => params.key as string | undefined;
      await made.serve('a_v1.0', onward('a', 'b'), { actorKey });
      await made.serve('b_v1.0', onward('b', 'a'), { actorKey });
      const ask = (key: string | undefined, onto: string[], more: Partial<CallSpec> = {}) =>
        made.caller.call(
          made.spec({ callee: 'a_v1.0', params: { ...(key ? { key } : {}), onto }, traceparent: TRACE, ...more }),
        );
      const ends = async (work: Promise<CallResult>) => {
        const from = made.clock.now();
        const ended = await made.clock.run(
          work.then(
            ({ response }) => response.result,
            (error: HermesError) => error.reason,
          ),
        );
        return { ended, ms: made.clock.now() - from };
      };
      return { ...made, ask, ends, order };
    }

    test('another key is lawful', async () => {
      const { ask, ends } = await bench();
      expect((await ends(ask('k1', ['x', 'k2']))).ended).toBe('a k2');
    });

    test.each([
      ['W7: the same key', 'k1', ['x', 'k1']],
      ['the same key, further up', 'k1', ['x', 'k2', 'y', 'k1']],
      ['a call without a key, inside one with', 'k1', ['x', '-']],
      ['a call with a key, inside one without', undefined, ['x', 'k1']],
    ])('%s is call_cycle at once, not queued behind itself', async (_what, key, onto) => {
      const { ask, ends } = await bench();
      const { ended, ms } = await ends(ask(key, onto));
      expect(ended).toBe('call_cycle');
      expect(ms).toBeLessThan(60);
    });

    test.each([undefined, 0.1])('calls without a trace are told apart by their chains (ratio %s)', async (ratio) => {
      const { ask, ends } = await bench(ratio);
      const plain = { traceparent: undefined } as unknown as Partial<CallSpec>;
      expect((await ends(ask('k1', ['x', 'k1'], plain))).ended).toBe('call_cycle');
      expect((await ends(ask('k1', ['x', 'k2'], plain))).ended).toBe('a k2');
    });

    test('eight deep it is too_deep, whatever the keys', async () => {
      const { ask, ends } = await bench();
      const onto = Array.from({ length: 10 }, (_, n) => `k${n + 2}`);
      expect((await ends(ask('k1', onto))).ended).toBe('too_deep');
      expect((await ends(ask('k1', onto.slice(0, 7)))).ended).toBe('b k8');
    });

    test.each([
      ['another trace', { traceparent: OTHER }],
      ['another step of the same goal', { stepId: 's2' }],
    ])('behind a call of %s on that key it waits, as anybody does', async (_what, more) => {
      const { clock, ask, ends, order } = await bench();
      const params = { key: 'k2', holdMs: 500 };
      const holding = ask('k2', [], { params, stepId: 's1', ...more });
      await clock.advance(20);
      const { ended, ms } = await ends(ask('k1', ['x', 'k2'], { stepId: 's1' }));
      expect(ended).toBe('a k2');
      expect(ms).toBeGreaterThan(400);
      expect(order).toEqual(['a k2', 'a k1', 'b x', 'a k2']);
      expect((await holding).response.result).toBe('a k2');
    });

    test('a component that asks itself about the key it holds is call_cycle; about another it is not', async () => {
      const made = callBench();
      const own = made.callerOf('a_v1.0');
      await made.serve(
        'a_v1.0',
        async ({ request }) => {
          const { key, onto } = request.params as { key: string; onto?: string };
          if (onto === undefined) return key;
          const { chain, deadline_unix_ms: deadlineAt } = request;
          const to = { callee: 'a_v1.0', instance: 'a-00000001', method: 'work', params: { key: onto } };
          return (await own.call({ ...to, chain, deadlineAt })).response.result;
        },
        { actorKey: ({ params }) => params.key as string },
      );
      const ask = (onto: string) => ({ callee: 'a_v1.0', params: { key: 'k1', onto } });
      expect((await made.call(ask('k2'))).response.result).toBe('k2');
      expect((await made.fails(ask('k1'))).reason).toBe('call_cycle');
    });
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
