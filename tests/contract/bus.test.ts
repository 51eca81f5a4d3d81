import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Bus } from '../../mcp/transport/index.js';
import { LIMITS } from '../../shared/limits.js';
import { bytes, type TransportHarness, text } from '../support/transport-harness.js';
import { transports } from '../support/transports.js';

describe.each(transports({ kills: false }))('bus contract: $name', (factory) => {
  let h: TransportHarness;
  let bus: Bus;
  beforeEach(async () => {
    h = await factory.open();
    bus = h.bus;
  });
  afterEach(() => h.close());
  afterAll(() => factory.end());

  const listen = (pattern: string, queue?: string): string[] => {
    const heard: string[] = [];
    bus.subscribe(pattern, (message) => void heard.push(text(message.payload)), queue === undefined ? {} : { queue });
    return heard;
  };

  test('every matching plain subscriber hears a message, others do not', async () => {
    const exact = listen('a.b.c');
    const star = listen('a.*.c');
    const rest = listen('a.>');
    const all = listen('>');
    const others = [listen('a.b'), listen('a.b.c.d'), listen('a.*'), listen('*.c'), listen('a.b.c.>')];
    bus.publish('a.b.c', bytes('x'));
    await h.until(() => all.length > 0);
    await h.pass(10);
    expect([exact, star, rest, all]).toEqual([['x'], ['x'], ['x'], ['x']]);
    expect(others.flat()).toEqual([]);
  });

  test('delivery is not inside publish', async () => {
    const heard = listen('a');
    bus.publish('a', bytes('x'));
    expect(heard).toEqual([]);
    await h.until(() => heard.length === 1);
  });

  test('exactly one member of each queue group hears a message, and the work is shared', async () => {
    const one = [listen('work.*', 'g1'), listen('work.*', 'g1'), listen('work.>', 'g1')];
    const two = [listen('work.job', 'g2'), listen('work.job', 'g2')];
    const plain = listen('work.job');
    for (let n = 0; n < 300; n++) bus.publish('work.job', bytes(String(n)));
    await h.until(() => plain.length === 300);
    await h.pass(10);
    const sorted = (heard: string[][]): number[] =>
      heard
        .flat()
        .map(Number)
        .sort((a, b) => a - b);
    const each = Array.from({ length: 300 }, (_, n) => n);
    expect(sorted(one)).toEqual(each);
    expect(sorted(two)).toEqual(each);
    for (const member of one) expect(member.length).toBeGreaterThan(50);
    for (const member of two) expect(member.length).toBeGreaterThan(90);
  });

  test('a member that left gets nothing, the rest of its group gets all', async () => {
    const gone: string[] = [];
    const subscription = bus.subscribe('work', (message) => void gone.push(text(message.payload)), { queue: 'g' });
    const stays = listen('work', 'g');
    subscription.unsubscribe();
    subscription.unsubscribe();
    for (let n = 0; n < 20; n++) bus.publish('work', bytes(String(n)));
    await h.until(() => stays.length === 20);
    expect(gone).toEqual([]);
  });

  test('messages of one publisher to one subject arrive in order', async () => {
    const heard = listen('seq');
    for (let n = 0; n < 500; n++) bus.publish('seq', bytes(String(n)));
    await h.until(() => heard.length === 500);
    expect(heard.map(Number)).toEqual(Array.from({ length: 500 }, (_, n) => n));
  });

  test('a handler that throws or rejects is logged and stops nothing', async () => {
    const heard: string[] = [];
    bus.subscribe('a', () => {
      throw new Error('sync');
    });
    bus.subscribe('a', async () => {
      throw new Error('async');
    });
    bus.subscribe('a', (message) => void heard.push(text(message.payload)));
    bus.publish('a', bytes('1'));
    bus.publish('a', bytes('2'));
    await h.until(() => heard.length === 2 && h.complaints.length === 4);
    expect(heard).toEqual(['1', '2']);
    expect(new Set(h.complaints)).toEqual(new Set(['a subscription handler failed']));
  });

  test('what a handler or the publisher changes, nobody else sees', async () => {
    const heard: string[] = [];
    for (let n = 0; n < 3; n++) {
      bus.subscribe('a', (message) => {
        heard.push(text(message.payload));
        message.payload.fill(0);
      });
    }
    const payload = bytes('keep');
    bus.publish('a', payload);
    payload.fill(0);
    await h.until(() => heard.length === 3);
    expect(heard).toEqual(['keep', 'keep', 'keep']);
  });

  test('the reply subject travels, and an answer comes back on it', async () => {
    const answers = listen('reply.me');
    bus.subscribe('ask', (message) => {
      if (message.reply !== undefined) bus.publish(message.reply, bytes(`re ${text(message.payload)}`));
    });
    bus.publish('ask', bytes('q'), { reply: 'reply.me' });
    await h.until(() => answers.length === 1);
    expect(answers).toEqual(['re q']);
  });

  test('a subscriber that comes late hears nothing of before', async () => {
    bus.publish('a', bytes('early'));
    const late = listen('a');
    await h.pass(20);
    bus.publish('a', bytes('later'));
    await h.until(() => late.length > 0);
    expect(late).toEqual(['later']);
  });

  test('a payload of 1 MiB passes, one byte more is refused', async () => {
    const sizes: number[] = [];
    bus.subscribe('big', (message) => void sizes.push(message.payload.byteLength));
    bus.publish('big', new Uint8Array(LIMITS.messageBytes));
    expect(() => bus.publish('big', new Uint8Array(LIMITS.messageBytes + 1))).toThrowError(
      expect.objectContaining({ reason: 'invalid_params' }),
    );
    await h.until(() => sizes.length > 0);
    expect(sizes).toEqual([LIMITS.messageBytes]);
  });

  test('after close nothing is delivered and nothing is published', async () => {
    const heard = listen('a');
    bus.publish('a', bytes('under way'));
    await h.run(bus.close());
    const before = heard.length;
    expect(() => bus.publish('a', bytes('x'))).toThrowError(expect.objectContaining({ reason: 'not_ready' }));
    expect(() => bus.subscribe('a', () => undefined)).toThrowError(expect.objectContaining({ reason: 'not_ready' }));
    await h.pass(20);
    expect(heard.length).toBe(before);
  });

  test('thousands of subscriptions come and go', async () => {
    const heard: string[] = [];
    const subscriptions = Array.from({ length: 5_000 }, (_, n) =>
      bus.subscribe(`device.${n}.*`, (message) => void heard.push(message.subject)),
    );
    for (let n = 0; n < 5_000; n += 500) bus.publish(`device.${n}.state`, bytes('x'));
    await h.until(() => heard.length === 10);
    for (const subscription of subscriptions) subscription.unsubscribe();
    bus.publish('device.0.state', bytes('x'));
    await h.pass(10);
    expect(heard.length).toBe(10);
  });
});

describe.each(transports({ kills: false }))('names on the bus: $name', (factory) => {
  let h: TransportHarness;
  let bus: Bus;
  beforeAll(async () => {
    h = await factory.open();
    bus = h.bus;
  });
  afterAll(async () => {
    await h.close();
    await factory.end();
  });

  test.each(['', '.', 'a.', '.a', 'a..b', 'a b', 'a.*', 'a.>', '>', '*', 'a\u0000b', 'a\n', 'x*y', 'a'.repeat(1_025)])(
    'publishing to the malformed subject %j is refused',
    (subject) => {
      const refused = expect.objectContaining({ reason: 'invalid_params' });
      expect(() => bus.publish(subject, bytes('x'))).toThrowError(refused);
      expect(() => bus.publish('ok', bytes('x'), { reply: subject })).toThrowError(refused);
    },
  );

  test.each(['', 'a.', 'a..b', 'a.>.b', 'a.b>', 'a*', '>.a', 'a b'])(
    'the malformed pattern %j is refused',
    (pattern) => {
      expect(() => bus.subscribe(pattern, () => undefined)).toThrowError(
        expect.objectContaining({ reason: 'invalid_params' }),
      );
    },
  );
});
