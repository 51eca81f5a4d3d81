import { describe, expect, test } from 'vitest';
import type { ServedCall } from '../../../mcp/index.js';
import { HermesError, type Reason } from '../../../shared/errors.js';
import { callBench } from '../../support/call-bench.js';

/** Instances `worker-<letter>`, each says its name; what each was asked is kept. */
async function workers(names: string, work?: (name: string, call: ServedCall) => Promise<unknown>) {
  const made = callBench();
  const asked: string[] = [];
  const all = new Map<string, Awaited<ReturnType<typeof made.serveAs>>>();
  const start = async (name: string, component = 'worker_v1.0') => {
    const instance = await made.serveAs(component, `worker-${name}`, async (call) => {
      asked.push(name);
      return work ? work(name, call) : name;
    });
    all.set(name, instance);
  };
  for (const name of names) await start(name);
  return { ...made, asked, start, of: (name: string) => all.get(name) as NonNullable<ReturnType<typeof all.get>> };
}

describe('which instance is asked', () => {
  test('every ready instance gets a share, and the queue group none', async () => {
    const made = await workers('abcd');
    const spoken: string[] = [];
    made.connect('spy').bus.subscribe('hermes.*.call.>', ({ subject }) => void spoken.push(subject));
    for (let n = 0; n < 80; n++) await made.call();
    for (const name of 'abcd') expect(made.asked.filter((one) => one === name).length, name).toBeGreaterThan(8);
    expect(spoken).toEqual([]);
  });

  test('a busy instance is asked less than an idle one: of two that are drawn the less loaded', async () => {
    const made = await workers('ab', (name) => (name === 'a' ? made.clock.sleep(400) : Promise.resolve()));
    const calls = [];
    for (let n = 0; n < 60; n++) {
      calls.push(made.caller.call(made.spec()));
      await made.clock.advance(5);
    }
    await made.clock.run(Promise.all(calls));
    expect(made.asked.filter((name) => name === 'b').length).toBeGreaterThan(45);
  });

  test('the load that other callers make is heard from the instance itself', async () => {
    const made = await workers('ab', () => made.clock.sleep(60_000));
    const other = made.callerOf('other_v1.0');
    const retry = { max_attempts: 1 };
    await made.fails({ deadlineAt: made.clock.now() + 10, retry });
    for (let n = 0; n < 12; n++) {
      other
        .call(made.spec({ instance: 'worker-a', deadlineAt: made.clock.now() + 50_000, retry }))
        .catch(() => undefined);
    }
    await made.clock.advance(1_500);
    made.asked.length = 0;
    for (let n = 0; n < 10; n++) await made.fails({ deadlineAt: made.clock.now() + 10, retry });
    expect(made.asked.filter((name) => name === 'a')).toEqual([]);
  });

  test('calls with one key go to the instance that served the key last', async () => {
    const made = await workers('abcd');
    for (const key of ['k1', 'k2', 'k3']) {
      made.asked.length = 0;
      for (let n = 0; n < 12; n++) await made.call({ key });
      expect(new Set(made.asked).size, key).toBe(1);
    }
  });

  test.each(['starting', 'draining', 'degraded'] as const)('one that is %s is not chosen', async (state) => {
    const made = await workers('a');
    await made.serveAs('worker_v1.0', 'worker-z', async () => made.asked.push('z'), { state });
    for (let n = 0; n < 20; n++) await made.call();
    expect(made.asked).not.toContain('z');
  });

  test('while nobody is ready but somebody starts, the queue group is asked', async () => {
    const made = callBench();
    await made.serveAs('worker_v1.0', 'worker-a', async () => 'early', { state: 'starting' });
    expect((await made.call()).response.result).toBe('early');
  });

  test('a callee that nobody serves in that version is refused at once, with what is there', async () => {
    const made = await workers('a');
    const error = await made.fails({ callee: 'worker_v1.4' });
    expect(error).toMatchObject({ reason: 'bad_version', data: { supported: ['worker_v1.0'], started: false } });
    expect((await made.fails({ callee: 'worker_v2.0' })).reason).toBe('bad_version');
  });

  test('an instance that is asked by name is asked alone; one that is gone is said at once', async () => {
    const made = await workers('ab');
    for (let n = 0; n < 5; n++) await made.call({ instance: 'worker-b' });
    expect(new Set(made.asked)).toEqual(new Set(['b']));
    const from = made.clock.now();
    expect(await made.fails({ instance: 'worker-x' })).toMatchObject({ reason: 'no_worker', data: { started: false } });
    expect(made.clock.now()).toBe(from);
  });
});

describe('the next instance at once', () => {
  test.each(['overloaded', 'not_ready', 'version_skew', 'owner_moved'] as const)(
    'after %s, with nothing begun, no back-off is waited',
    async (reason: Reason) => {
      const made = await workers('ab', async (name) => {
        if (name === 'a') throw new HermesError(reason, 'elsewhere', { started: false });
        return name;
      });
      const from = made.clock.now();
      const served = new Set<unknown>();
      for (let n = 0; n < 10; n++) served.add((await made.call({ retry: { max_attempts: 1 } })).response.result);
      expect(served).toEqual(new Set(['b']));
      expect(made.asked).toContain('a');
      expect(made.clock.now() - from).toBeLessThan(100);
    },
  );

  test('when every instance has refused, back-off begins and the first may be asked again', async () => {
    const made = await workers('ab', async () => {
      if (made.asked.length <= 2) throw new HermesError('overloaded', 'full', { started: false });
      return 'later';
    });
    const { response, attempts } = await made.call();
    expect(response.result).toBe('later');
    expect(attempts).toBe(3);
    expect(new Set(made.asked.slice(0, 2))).toEqual(new Set(['a', 'b']));
  });

  test('one that drains says so and the next takes the call; what runs there is finished', async () => {
    const made = await workers('ab', (name) => made.clock.sleep(500).then(() => name));
    const running = made.caller.call(made.spec({ instance: 'worker-a' }));
    await made.clock.advance(50);
    made.of('a').endpoint.drain();
    for (let n = 0; n < 6; n++) expect((await made.call()).response.result).toBe('b');
    expect((await made.clock.run(running)).response.result).toBe('a');
  });

  test('B11: a component that has gone is unreachable at once, not after a time-out', async () => {
    const made = await workers('a');
    await made.call();
    await made.of('a').leave();
    const from = made.clock.now();
    expect(await made.fails()).toMatchObject({ reason: 'no_worker', data: { started: false } });
    expect(made.clock.now()).toBe(from);
  });

  test('a call whose instance dies is re-asked of another under the same id, once death is known', async () => {
    const ids = new Set<string>();
    const made = await workers('ab', (name, { request }) => {
      ids.add(request.request_id);
      return name === 'a' ? made.clock.sleep(120_000) : Promise.resolve('b');
    });
    const calls = Array.from({ length: 8 }, () =>
      made.caller.call(made.spec({ key: 'k', deadlineAt: made.clock.now() + 60_000 })),
    );
    await made.clock.advance(20);
    made.of('a').crash();
    const from = made.clock.now();
    const answers = await made.clock.run(Promise.all(calls));
    expect(answers.map(({ response }) => response.result)).toEqual(Array(8).fill('b'));
    expect(made.clock.now() - from).toBeLessThan(6_100);
    expect(ids.size).toBe(8);
    expect(made.caller.pending).toBe(0);
  });

  test('who was asked alone and dies leaves the outcome unknown, whatever is said later', async () => {
    const made = await workers('a', () => made.clock.sleep(120_000));
    const call = made.fails({ deadlineAt: made.clock.now() + 30_000, retry: { initial_backoff_ms: 100 } });
    await Promise.resolve();
    made.of('a').crash();
    const error = await call;
    expect(error.data.outcome).toBe('unknown');
    expect(error.data.started).toBeUndefined();
  });

  test.each(['overloaded', 'not_ready', 'held'] as const)(
    'who died with the call leaves the outcome unknown, though the next instance says %s within the same attempt',
    async (reason: Reason) => {
      const made = await workers('a', (name) => {
        if (name === 'a') return made.clock.sleep(120_000);
        throw new HermesError(reason, 'not here', { started: false });
      });
      const call = made.fails({ deadlineAt: made.clock.now() + 30_000, retry: { max_attempts: 1 } });
      await made.clock.advance(100);
      await made.start('b');
      made.of('a').crash();
      const error = await call;
      expect(made.asked.slice(0, 2)).toEqual(['a', 'b']);
      // Who is only starting or stopping is asked again until the deadline: it executes nothing anew.
      expect(made.asked.length > 2).toBe(reason === 'not_ready');
      expect(error).toMatchObject({ reason, data: { outcome: 'unknown' } });
      expect(error.data.started).toBeUndefined();
    },
  );

  test('a call whose only worker died with it is asked of its successor, whatever max_attempts says', async () => {
    const made = await workers('a', (name) => (name === 'a' ? made.clock.sleep(120_000) : Promise.resolve('settled')));
    const call = made.call({ deadlineAt: made.clock.now() + 30_000, retry: { max_attempts: 1 } });
    await made.clock.advance(100);
    made.of('a').crash();
    await made.clock.advance(8_000);
    await made.start('b');
    expect((await call).response.result).toBe('settled');
  });

  test.each([
    ['of a write from the record', false, { started: true }],
    ['of a read', true, {}],
  ])('what the next instance says %s is the outcome', async (_what, reads, said) => {
    const made = await workers('a', (name) => {
      if (name === 'a') return made.clock.sleep(120_000);
      throw new HermesError('tool_failed', 'it failed', said);
    });
    const call = made.fails({ deadlineAt: made.clock.now() + 30_000, reads });
    await made.clock.advance(100);
    await made.start('b');
    made.of('a').crash();
    const error = await call;
    expect(error).toMatchObject({ reason: 'tool_failed', data: said });
    expect(error.data.outcome).toBeUndefined();
  });

  test('goodbye without anybody else to ask: what was begun may still be answered', async () => {
    const made = await workers('a', () => made.clock.sleep(800).then(() => 'finished'));
    const call = made.caller.call(made.spec());
    await made.clock.advance(100);
    await made.of('a').leave();
    expect((await made.clock.run(call)).response.result).toBe('finished');
  });

  test('instances of two minors side by side: no wrong version reaches a caller (rolling upgrade)', async () => {
    const made = await workers('');
    await made.start('old', 'worker_v1.2');
    await made.start('new', 'worker_v1.3');
    for (let n = 0; n < 20; n++) {
      expect((await made.call({ callee: 'worker_v1.3' })).response.result).toBe('new');
      await made.call({ callee: 'worker_v1.2' });
    }
    expect(made.asked.filter((name) => name === 'old').length).toBeGreaterThan(2);
    await made.of('old').leave();
    expect((await made.call({ callee: 'worker_v1.2' })).response.result).toBe('new');
  });
});
