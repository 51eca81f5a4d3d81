import { decode, encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeMessage, encodeMessage } from '../../mcp/index.js';
import { encodePrefix, encodeRequest, readTail, tailOffset } from '../../mcp/protocol/canonical-request.js';
import { requestSchema } from '../../mcp/protocol/envelope.js';
import { NOT_PLAIN, PackReader } from '../../mcp/protocol/pack-reader.js';
import { PackWriter } from '../../mcp/protocol/pack-writer.js';
import { checkRequest } from '../../mcp/protocol/request-check.js';

const text = fc.string({ unit: 'grapheme', maxLength: 300 });
const key = text.filter((one) => one !== '__proto__');
/** MessagePack's integers know no minus zero. */
const number = fc.double().filter((one) => !Object.is(one, -0));
const leaf = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.maxSafeInteger(), number, text);
const { value: plain } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 20 }),
    fc.dictionary(key, tie('value'), { maxKeys: 20, noNullPrototype: true }),
  ),
}));
const message = fc.dictionary(key, plain, { maxKeys: 30, noNullPrototype: true });

describe('what messages are made of', () => {
  test('is written byte for byte as the library writes it, and read back the same', () => {
    const writer = new PackWriter(16);
    const reader = new PackReader();
    fc.assert(
      fc.property(plain, (value) => {
        writer.reset();
        expect(writer.value(value)).toBe(true);
        const bytes = writer.take();
        expect(Buffer.compare(bytes, encode(value, { ignoreUndefined: true }))).toBe(0);
        reader.begin(bytes);
        expect(reader.value()).toEqual(value);
        expect(reader.isDone).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('with undefined fields, dates, bytes or classes still arrives as before', () => {
    const odd = {
      a: undefined,
      at: new Date(5),
      bytes: Uint8Array.from([1, 2]),
      own: new (class A {
        x = 1;
      })(),
    };
    expect(encodeMessage(odd)).toEqual(encode(odd, { ignoreUndefined: true }));
    expect(decodeMessage(encodeMessage(odd)).message).toEqual({ at: odd.at, bytes: odd.bytes, own: { x: 1 } });
  });

  test('any bytes at all are a value or NOT_PLAIN: the reader never throws and never reads past the end', () => {
    const reader = new PackReader();
    const mutant = fc.tuple(message, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat());
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), mutant.map(mutated)), (bytes) => {
        reader.begin(bytes);
        reader.value();
        expect(reader.at).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns: 3_000 },
    );
    reader.begin(Uint8Array.from([0xdd, 0xff, 0xff, 0xff, 0xff]));
    expect(reader.value()).toBe(NOT_PLAIN);
  });
});

function mutated([value, changes, cut]: [object, [number, number][], number]): Uint8Array {
  const bytes = encodeMessage(value);
  for (const [at, to] of changes) bytes[at % bytes.length] = to;
  return bytes.subarray(0, cut % 3 === 0 ? cut % (bytes.length + 1) : bytes.length);
}

const optional = <T>(right: fc.Arbitrary<T>) => fc.option(right, { nil: undefined });
const words = fc.string({ minLength: 1, maxLength: 20 });
const right = fc.record(
  {
    jsonrpc: optional(fc.constant('2.0')),
    kind: optional(fc.constantFrom('agent_call_request', 'tool_call_request')),
    mcp_version: fc.constant('1.2'),
    request_id: fc.string({ minLength: 1, maxLength: 128 }),
    caller: fc.constantFrom('tester_v1.0', 'a_b9_v12.3'),
    callee: fc.constantFrom('worker_v1.0', 'worker_v1.10'),
    method: fc.constantFrom('work', 'a', 'get_state_2', 'x'.repeat(64)),
    params: optional(fc.dictionary(words, leaf, { maxKeys: 3, noNullPrototype: true })),
    timeout_ms: optional(fc.integer({ min: 1, max: 2 ** 40 })),
    deadline_unix_ms: fc.maxSafeNat(),
    sent_at_unix_ms: optional(fc.nat()),
    clock_offset_ms: optional(fc.integer()),
    tenant: optional(words),
    principal: optional(
      fc.record(
        { id: words, roles: optional(fc.array(words, { maxLength: 4 })) },
        { requiredKeys: ['id'], noNullPrototype: true },
      ),
    ),
    session_context_id: optional(words),
    goal_id: optional(words),
    step_id: optional(words),
    chain: optional(fc.array(words, { maxLength: 4 })),
    via: optional(fc.array(words, { maxLength: 4 })),
    attempt: optional(fc.integer({ min: 1, max: 12 })),
    traceparent: optional(words),
    consistency_level: optional(fc.constantFrom('strong', 'eventual')),
    x_note: optional(leaf),
  },
  { noNullPrototype: true },
);
/** Every field and every kind of wrong value, at the edges too. */
const wrong = fc.oneof(
  leaf,
  fc.constantFrom('', ' ', '1.0', 'Worker_v1.0', 'worker', 'worker_v1', 'Work', 'x'.repeat(65), 'x'.repeat(129)),
  fc.constantFrom(0, -1, 0.5, 2 ** 53, 1e300, Number.NaN, Number.POSITIVE_INFINITY),
  fc.constantFrom([], ['a'], [1], Array(5).fill('a'), Array(65).fill('a'), Array(64).fill('a')),
  fc.constantFrom(
    {},
    { id: '' },
    { id: 'a', roles: [''] },
    { id: 'a', roles: Array(33).fill('r') },
    { max_attempts: 3 },
  ),
);
const FIELDS = 'jsonrpc kind mcp_version request_id caller callee method params timeout_ms deadline_unix_ms '
  .concat('sent_at_unix_ms clock_offset_ms tenant principal session_context_id goal_id step_id chain via attempt ')
  .concat('traceparent consistency_level retry_policy budget approval x_note')
  .split(' ');
const envelope = fc
  .tuple(right, fc.array(fc.tuple(fc.constantFrom(...FIELDS), wrong), { maxLength: 2 }))
  .map(([base, changes]): Record<string, unknown> => ({ ...base, ...Object.fromEntries(changes) }));

describe('the canonical order', () => {
  const tail = (n: number) => ({
    request_id: `r${n}`,
    timeout_ms: 5_000,
    deadline_unix_ms: 1_767_600_005_000 + n,
    sent_at_unix_ms: 1_767_600_000_000 + n,
    clock_offset_ms: -n,
    attempt: 1,
    traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`,
    params: { n },
  });
  const constant = { mcp_version: '1.2', caller: 'tester_v1.0', callee: 'worker_v1.0', method: 'work', chain: ['a'] };

  test('is plain MessagePack: any client reads it, and its tail stands at its place', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.boolean(), message, (n, traced, params) => {
        const { traceparent, ...rest } = { ...tail(n), params };
        const last = traced ? { ...rest, traceparent } : rest;
        const prefix = encodePrefix(constant, traced) as Uint8Array;
        const bytes = encodeRequest(prefix, last) as Uint8Array;
        expect(decode(bytes)).toEqual({ ...constant, ...last });
        expect(tailOffset(bytes)).toBe(prefix.length);
        expect(readTail(bytes, prefix.length, traced ? 8 : 7)).toEqual({ traceparent: undefined, ...last });
      }),
      { numRuns: 200 },
    );
  });

  test('a mutated message is read as the library reads it, or not in this order at all', () => {
    const prefix = encodePrefix(constant, true) as Uint8Array;
    const good = encodeRequest(prefix, tail(7)) as Uint8Array;
    const change = fc.tuple(fc.integer({ min: prefix.length, max: good.length - 1 }), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const bytes = good.slice();
        for (const [at, to] of changes) bytes[at] = to;
        const read = readTail(bytes, prefix.length, 8);
        if (!read) return;
        const raw = decodeMessage(bytes).message;
        expect({ ...constant, ...read }).toEqual(raw);
        expect(requestSchema.safeParse(raw).success).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('the envelope check that is written out', () => {
  test('leaves a parameter that is named __proto__ to the schema', () => {
    const params = JSON.parse('{"__proto__": 0}') as Record<string, unknown>;
    const [caller, callee] = ['tester_v1.0', 'worker_v1.0'];
    const raw = { mcp_version: '1.2', request_id: ' ', caller, callee, method: 'work', deadline_unix_ms: 0 };
    expect(checkRequest({ ...raw, params: {} })).toBeDefined();
    expect(checkRequest({ ...raw, params })).toBeUndefined();
  });

  test('says the same as the schema, and leaves to the schema what it refuses', () => {
    let passed = 0;
    fc.assert(
      fc.property(envelope, (raw) => {
        const parsed = requestSchema.safeParse(raw);
        const checked = checkRequest(raw);
        if (checked) {
          passed++;
          expect(parsed.success).toBe(true);
          expect(checked).toEqual(parsed.data);
        } else if ([raw.retry_policy, raw.budget, raw.approval].every((rare) => rare === undefined)) {
          expect(parsed.success).toBe(false);
        }
      }),
      { numRuns: 4_000 },
    );
    expect(passed).toBeGreaterThan(1_000);
  });
});
