import { describe, expect, test } from 'vitest';
import { encodeMessage, type JournalQuery, type LocalCall, openJournal, type Request } from '../../../mcp/index.js';
import { prefixRange } from '../../../mcp/transport/index.js';
import { mcpBench } from '../../support/mcp-bench.js';
import { recordingLogger } from '../../support/transport-harness.js';

const bare = { seal: (bytes: Uint8Array) => bytes, open: (bytes: Uint8Array) => bytes };

async function bench(sealer = bare) {
  const made = mcpBench();
  const { clock, complaints } = made;
  const { capture } = made.connect('journal');
  const open = async (maxEntries = 5) => {
    const store = await made.sim.openStore('journal');
    const journal = await openJournal(
      { capture, store, sealer, clock, logger: recordingLogger(complaints) },
      { tenant: 'default', maxEntries },
    );
    return { store, journal };
  };
  const opened = await clock.run(open());
  const keys = async (store = opened.store): Promise<string[]> => {
    const found: string[] = [];
    for await (const [key] of store.range(prefixRange(''))) found.push(key);
    return found;
  };
  /** A local call, with a trace of its own. */
  const call = (n: number, result: unknown = 'done'): LocalCall => {
    const traceparent = `00-${String(n).padStart(32, '0')}-00000000000000aa-01`;
    const request = { ...made.request(), request_id: `r-${n}`, traceparent } as unknown as Request;
    return { request, ms: 1, result };
  };
  return { ...made, ...opened, open, keys, call };
}

describe('a journal of five', () => {
  test('keeps the last five, and no index row of an entry that is gone', async () => {
    const { clock, journal, keys, call } = await bench();
    for (let n = 1; n <= 12; n++) {
      journal.observeLocal(call(n));
      if (n % 4 === 0) await clock.run(journal.flush());
    }
    await clock.run(journal.flush());
    const kept = [8, 9, 10, 11, 12].map((n) => `r-${n}`);
    expect((await journal.query({})).map((entry) => entry.request_id)).toEqual(kept);
    const left = await keys();
    for (const kind of ['j/', 't/', 'r/']) expect(left.filter((key) => key.startsWith(kind))).toHaveLength(5);
    expect(await journal.query({ request_id: 'r-7' })).toEqual([]);
    expect(await journal.query({ request_id: 'r-8' })).toHaveLength(1);
    expect(journal.gaps).toBe(0);
  });

  test('that is opened again with less room gives up what is too much', async () => {
    const { clock, store, journal, open, keys, call } = await bench();
    for (let n = 1; n <= 5; n++) journal.observeLocal(call(n));
    await clock.run(journal.close());
    await clock.run(store.close());
    const again = await clock.run(open(2));
    again.journal.observeLocal(call(6));
    await clock.run(again.journal.flush());
    expect((await again.journal.query({})).map((entry) => entry.request_id)).toEqual(['r-5', 'r-6']);
    expect(await keys(again.store)).toHaveLength(6);
  });

  test('an old entry that does not open is given up all the same', async () => {
    const { clock, store, journal, complaints, call } = await bench({
      ...bare,
      open(bytes) {
        if (bytes.length === 1) throw new Error('altered');
        return bytes;
      },
    });
    journal.observeLocal(call(1));
    await clock.run(journal.flush());
    await clock.run(store.batch([{ type: 'put', key: `j/${'1'.padStart(16, '0')}`, value: new Uint8Array(1) }]));
    for (let n = 2; n <= 6; n++) journal.observeLocal(call(n));
    await clock.run(journal.flush());
    expect(await journal.query({})).toHaveLength(5);
    expect(complaints).toContain('an old journal entry does not open');
  });
});

describe('a question with a limit', () => {
  test('is answered by the newest entries, the oldest of them first', async () => {
    const { clock, journal, call } = await bench();
    const at: number[] = [];
    for (let n = 1; n <= 5; n++) {
      at.push(Math.round(clock.now()));
      journal.observeLocal(call(n));
      await clock.advance(100);
    }
    await clock.run(journal.flush());
    const ids = async (query: JournalQuery) => (await journal.query(query)).map((entry) => entry.request_id);
    expect(await ids({ limit: 2 })).toEqual(['r-4', 'r-5']);
    expect(await ids({ limit: 2, since: at[1] as number })).toEqual(['r-4', 'r-5']);
    expect(await ids({ limit: 9, since: at[3] as number })).toEqual(['r-4', 'r-5']);
    for (const ms of [1, 2, 3]) journal.observeLocal({ ...call(1), ms });
    for (const index of [{ request_id: 'r-1' }, { trace_id: '1'.padStart(32, '0') }]) {
      const ofOne = await clock.run(journal.query({ ...index, limit: 2 }));
      expect(ofOne.map((entry) => entry.message.ms)).toEqual([2, 3]);
    }
  });

  test('counts entries that fit, also when two things are asked for', async () => {
    const { clock, journal, call } = await bench();
    const { request } = call(1);
    for (let n = 1; n <= 4; n++) {
      journal.observeLocal({ ...call(1), request: { ...request, request_id: `r-${n}` } });
    }
    await clock.run(journal.flush());
    const trace_id = '1'.padStart(32, '0');
    const found = await clock.run(journal.query({ trace_id, request_id: 'r-1', limit: 2 }));
    expect(found.map((entry) => entry.request_id)).toEqual(['r-1']);
    expect(await clock.run(journal.query({ trace_id: '2'.padStart(32, '0'), request_id: 'r-1' }))).toEqual([]);
  });
});

describe('what cannot be read', () => {
  test('of a local call is an entry that says so, no gap, and no error of the call', async () => {
    const { clock, journal, call } = await bench();
    expect(() => journal.observeLocal(call(1, 10n))).not.toThrow();
    expect(() => journal.observeLocal(call(2, () => undefined))).not.toThrow();
    journal.observeLocal(call(3));
    await clock.run(journal.flush());
    expect(journal.gaps).toBe(0);
    const [first, second, third] = await journal.query({});
    expect(first).toMatchObject({ seq: 1, kind: 'tool', request_id: 'r-1', message: { ms: 1, method: 'work' } });
    expect(first?.unreadable).toMatch(/bigint/i);
    expect(second).toMatchObject({ seq: 2, request_id: 'r-2', unreadable: expect.any(String) });
    expect(third).toMatchObject({ seq: 3, request_id: 'r-3' });
    expect(third).not.toHaveProperty('unreadable');
  });

  test('of the bus is an entry that says so, no gap, and the handler lives on', async () => {
    const { clock, journal, hand, counted, request } = await bench();
    const subject = 'hermes.default.call.worker.v1.tester';
    hand.bus.publish(subject, new Uint8Array([0xc1, ...new Uint8Array(200)]));
    hand.bus.publish('hermes.default.event.tester.alarm.raised', new TextEncoder().encode('{"half":'));
    hand.bus.publish(subject, encodeMessage(request()));
    await clock.advance(50);
    await clock.run(journal.flush());
    expect(journal.gaps).toBe(0);
    const entries = await journal.query({});
    const sound = entries.find(({ request_id }) => request_id !== undefined);
    const [call, event] = ['call', 'event'].map((kind) => entries.find((one) => one !== sound && one.kind === kind));
    expect(call).toMatchObject({ kind: 'call', subject, message: { bytes: 201, head: `c1${'00'.repeat(63)}` } });
    expect(call?.unreadable).toContain('malformed');
    expect(event).toMatchObject({ kind: 'event', message: { bytes: 8 }, unreadable: expect.any(String) });
    expect(sound).not.toHaveProperty('unreadable');
    expect(counted.filter(({ labels }) => labels.reason === 'handler_failed')).toEqual([]);
  });
});

describe('what cannot be kept', () => {
  test('because it cannot be sealed is a gap', async () => {
    const seal = (): never => {
      throw new Error('no key');
    };
    const { clock, journal, call } = await bench({ ...bare, seal });
    expect(() => journal.observeLocal(call(1))).not.toThrow();
    await clock.run(journal.flush());
    expect(journal.gaps).toBe(1);
    expect(await journal.query({})).toEqual([]);
  });

  test('because the store is away is as many gaps as entries', async () => {
    const { clock, store, journal, call } = await bench();
    await clock.run(store.close());
    for (let n = 1; n <= 3; n++) journal.observeLocal(call(n));
    await clock.run(journal.flush());
    expect(journal.gaps).toBe(3);
  });
});
