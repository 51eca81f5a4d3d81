import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log, LogRecord } from '../../mcp/transport/index.js';
import { LIMITS } from '../../shared/limits.js';
import { bytes, collect, type TransportHarness, text } from '../support/transport-harness.js';
import { transports } from '../support/transports.js';

const LOGS = (['log', 'heads'] as const).flatMap((part) =>
  transports({ kills: part === 'log' }).map((factory) => ({ name: `${part} of ${factory.name}`, part, factory })),
);

describe.each(LOGS)('log contract: $name', ({ factory, part }) => {
  let h: TransportHarness;
  let log: Log;
  beforeEach(async () => {
    h = await factory.open();
    log = h[part];
  });
  afterEach(() => h.close());
  afterAll(() => factory.end());

  const append = (subject: string, body: string, expectedLastSeq?: number, messageId?: string) =>
    log.append(subject, bytes(body), {
      ...(expectedLastSeq !== undefined && { expectedLastSeq }),
      ...(messageId !== undefined && { messageId }),
    });
  const bodies = async (pattern: string, options?: { fromSeq?: number; limit?: number }): Promise<string[]> =>
    (await h.run(collect(log.read(pattern, options)))).map((record) => text(record.payload));

  test('sequences increase over all subjects, and read gives them back in order', async () => {
    const seqs: number[] = [];
    for (const [subject, body] of [
      ['a.x', '1'],
      ['b.x', '2'],
      ['a.y', '3'],
      ['a.x', '4'],
    ] as const) {
      seqs.push((await h.run(append(subject, body))).seq);
    }
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(4);
    expect(await bodies('>')).toEqual(['1', '2', '3', '4']);
    expect(await bodies('a.>')).toEqual(['1', '3', '4']);
    expect(await bodies('a.x')).toEqual(['1', '4']);
    expect(await bodies('*.x', { fromSeq: seqs[1] ?? 0 })).toEqual(['2', '4']);
    expect(await bodies('>', { limit: 2 })).toEqual(['1', '2']);
    expect(await bodies('>', { limit: 0 })).toEqual([]);
    expect(await bodies('none.>')).toEqual([]);
  });

  test('a record keeps its subject, payload, sequence and time', async () => {
    const payload = bytes('body');
    const work = log.append('a.x', payload);
    payload.fill(0);
    const { seq, duplicate } = await h.run(work);
    const record = await h.run(log.last('a.x'));
    expect(duplicate).toBe(false);
    expect(record).toMatchObject({ subject: 'a.x', seq });
    expect(text(record?.payload ?? bytes(''))).toBe('body');
    expect(Math.abs((record?.at ?? 0) - h.clock.now())).toBeLessThan(10_000);
  });

  test('compare-and-swap: zero means no record; a wrong number tells the right one and leaves nothing', async () => {
    const first = await h.run(append('a', '1', 0));
    await expect(h.run(append('a', 'x', 0))).rejects.toMatchObject({
      reason: 'version_conflict',
      data: { actual: first.seq },
    });
    await expect(h.run(append('b', 'x', first.seq))).rejects.toMatchObject({ data: { actual: 0 } });
    await h.run(append('a', '2', first.seq));
    expect(await bodies('>')).toEqual(['1', '2']);
  });

  test('of 50 appenders with one expectation exactly one wins, round after round', async () => {
    let last = 0;
    for (let round = 0; round < 5; round++) {
      const tries = Array.from({ length: 50 }, (_, n) => append('race', `${round}.${n}`, last));
      const results = await h.run(Promise.allSettled(tries));
      const won = results.filter((result) => result.status === 'fulfilled');
      expect(won.length).toBe(1);
      last = won[0]?.value.seq ?? 0;
      const lost = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      for (const reason of lost) expect(reason).toMatchObject({ reason: 'version_conflict', data: { actual: last } });
    }
    expect((await bodies('race')).map((body) => body.split('.')[0])).toEqual(['0', '1', '2', '3', '4']);
  });

  test('50 appenders that read and try again count without a gap or a repeat', async () => {
    const increment = async (): Promise<void> => {
      for (;;) {
        const record = await log.last('counter');
        const next = record ? Number(text(record.payload)) + 1 : 1;
        const done = await append('counter', String(next), record?.seq ?? 0).catch((thrown: { reason: string }) => {
          if (thrown.reason !== 'version_conflict') throw thrown;
          return undefined;
        });
        if (done) return;
      }
    };
    await h.run(Promise.all(Array.from({ length: 50 }, increment)));
    expect((await bodies('counter')).map(Number)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  });

  test('a repeated message id appends nothing; the check comes before the compare-and-swap', async () => {
    const first = await h.run(append('a', '1', 0, 'm1'));
    await h.run(append('a', '2', first.seq, 'm2'));
    expect(await h.run(append('a', '1', 0, 'm1'))).toEqual({ seq: first.seq, duplicate: true });
    expect((await h.run(append('b', '1', 0, 'm1'))).duplicate).toBe(false);
    const both = await h.run(Promise.all([append('c', '1', 0, 'm'), append('c', '1', 0, 'm')]));
    expect(both.map(({ duplicate }) => duplicate)).toEqual([false, true]);
    expect(both[1]?.seq).toBe(both[0]?.seq);
    expect(await bodies('>')).toEqual(['1', '2', '1', '1']);
  });

  test('a message id is remembered over a reopening', async () => {
    const first = await h.run(append('a', '1', undefined, 'm1'));
    await h.reopen();
    log = h[part];
    expect(await h.run(append('a', '1', undefined, 'm1'))).toEqual({ seq: first.seq, duplicate: true });
  });

  // On NATS the window is a figure of the stream: tests/network/transport-streams.test.ts.
  if (factory.virtual) {
    test('a message id is remembered for two minutes, and not for ever', async () => {
      const first = await h.run(append('a', '1', undefined, 'm1'));
      await h.pass(120_000);
      await h.run(append('b', 'forgets what is older'));
      expect(await h.run(append('a', '1', undefined, 'm1'))).toEqual({ seq: first.seq, duplicate: true });
      await h.pass(600_000);
      await h.run(append('b', 'the append that forgets'));
      expect((await h.run(append('a', '1', undefined, 'm1'))).duplicate).toBe(false);
    });
  }

  test('last and headSeq are never stale after an append', async () => {
    expect(await h.run(log.last('a'))).toBeUndefined();
    expect(await h.run(log.headSeq('>'))).toBe(0);
    for (let n = 0; n < 20; n++) {
      const { seq } = await h.run(append(`a.${n % 3}`, String(n)));
      expect((await h.run(log.last(`a.${n % 3}`)))?.seq).toBe(seq);
      expect(await h.run(log.headSeq('a.*'))).toBe(seq);
      expect(await h.run(log.headSeq(`a.${n % 3}`))).toBe(seq);
      expect(await h.run(log.headSeq('b.>'))).toBe(0);
    }
  });

  test('read ends at a head that is not older than the call', async () => {
    await h.run(append('a', '1'));
    const reading = log.read('>');
    await h.run(append('a', '2'));
    // A broker may take the question for the head after the append that was sent later.
    const found = (await h.run(collect(reading))).map((record) => text(record.payload));
    expect(factory.virtual ? [['1']] : [['1'], ['1', '2']]).toContainEqual(found);
  });

  test('what a reader changes, the log keeps', async () => {
    await h.run(append('a', 'keep'));
    for (const record of await h.run(collect(log.read('a')))) record.payload.fill(0);
    (await h.run(log.last('a')))?.payload.fill(0);
    expect(await bodies('a')).toEqual(['keep']);
  });

  test('tail goes from history to live records without losing or doubling, while others append', async () => {
    for (let n = 0; n < 40; n++) await h.run(append(n % 2 ? 'odd.x' : 'even.x', String(n)));
    const seen: LogRecord[] = [];
    const late: number[] = [];
    const tail = log.tail('even.>', 1, async (record) => {
      seen.push(record);
      await Promise.resolve();
    });
    const later = (async () => {
      for (let n = 40; n < 400; n += 4) {
        await Promise.all([0, 1, 2, 3].map((k) => append((n + k) % 2 ? 'odd.x' : 'even.x', String(n + k))));
        if (n === 200) log.tail('odd.*', 3, (record) => void late.push(Number(text(record.payload))));
      }
    })();
    await h.run(later);
    await h.until(() => seen.length >= 200 && late.length >= 199);
    await h.pass(10);
    await h.run(tail.stop());
    expect(seen.map((record) => Number(text(record.payload)))).toEqual(Array.from({ length: 200 }, (_, n) => n * 2));
    expect(late).toEqual(Array.from({ length: 199 }, (_, n) => n * 2 + 3).filter((n) => n >= 3));
    await h.run(append('even.x', 'after stop'));
    await h.pass(10);
    expect(seen.length).toBe(200);
  });

  test('a tail awaits its handler, one record at a time', async () => {
    let running = 0;
    let most = 0;
    let done = 0;
    log.tail('a', 1, async () => {
      most = Math.max(most, ++running);
      await h.clock.sleep(1);
      running--;
      done++;
    });
    await h.run(Promise.all(Array.from({ length: 10 }, (_, n) => append('a', String(n)))));
    await h.until(() => done === 10);
    expect(most).toBe(1);
  });

  test('a tail handler that throws gets the same record again, and the next ones after it', async () => {
    const seen: string[] = [];
    let failures = 3;
    log.tail('a', 1, (record) => {
      if (text(record.payload) === '1' && failures-- > 0) throw new Error('not now');
      seen.push(text(record.payload));
    });
    for (let n = 0; n < 3; n++) await h.run(append('a', String(n)));
    await h.until(() => seen.length === 3);
    expect(seen).toEqual(['0', '1', '2']);
    expect(h.complaints.filter((line) => line.includes('tail handler failed')).length).toBe(3);
  });

  test('everything is there after a reopening, and goes on', async () => {
    let last = 0;
    for (let n = 0; n < 30; n++) last = (await h.run(append('a', String(n), last))).seq;
    await h.reopen();
    log = h[part];
    expect((await bodies('a')).length).toBe(30);
    expect(await h.run(log.headSeq('a'))).toBe(last);
    await expect(h.run(append('a', 'x', 1))).rejects.toMatchObject({ data: { actual: last } });
    expect((await h.run(append('a', '30', last))).seq).toBeGreaterThan(last);
    const seen: string[] = [];
    log.tail('>', 5, (record) => void seen.push(text(record.payload)));
    await h.until(() => seen.length === 27);
  });

  test('a malformed subject and a payload over the limit are refused', async () => {
    await expect(h.run(append('a.*', 'x'))).rejects.toMatchObject({ reason: 'invalid_params' });
    await expect(h.run(log.last('a b'))).rejects.toMatchObject({ reason: 'invalid_params' });
    const large = log.append('a', new Uint8Array(LIMITS.messageBytes + 1));
    await expect(h.run(large)).rejects.toMatchObject({ reason: 'invalid_params' });
    expect(await bodies('>')).toEqual([]);
  });

  test('after close it takes nothing and calls no tail', async () => {
    const seen: string[] = [];
    log.tail('>', 1, (record) => void seen.push(text(record.payload)));
    await h.run(append('a', '1'));
    await h.until(() => seen.length === 1);
    await h.run(log.close());
    await expect(h.run(append('a', '2'))).rejects.toMatchObject({ reason: 'not_ready' });
    await h.pass(10);
    expect(seen).toEqual(['1']);
  });
});
