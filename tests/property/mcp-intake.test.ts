import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkCycle } from '../../mcp/endpoint/call-cycle.js';
import { createIntake, type Intake, type Seen } from '../../mcp/endpoint/intake.js';
import { encodePrefix, encodeRequest } from '../../mcp/protocol/canonical-request.js';
import { parseComponentId } from '../../mcp/protocol/component-id.js';
import { openSim } from '../../mcp/transport/index.js';
import { toHermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { seededRandom } from '../../shared/random.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { recordingLogger } from '../support/transport-harness.js';

const NOW = 1_767_600_000_000;
const SUBJECT = 'hermes.default.call.worker.v1.tester';
const REPLY = 'hermes.default.reply.tester.nonce';
const { bus } = openSim({ clock: new VirtualClock(), random: seededRandom(1), logger: recordingLogger([]) }).connect(
  'worker',
).transport;

const fresh = (): Intake =>
  createIntake(
    {
      bus,
      metrics: { count: () => undefined, measure: () => undefined },
      passedOn: { keep: () => undefined, cancel: () => undefined, takeFrom: () => [] },
    },
    {
      self: parseComponentId('worker_v1.0'),
      instance: 'worker-a',
      tenant: 'default',
      allow: { work: ['tester'], other: ['boss'] },
      maySpeakForPeople: new Set(['tester']),
      checkCycle: (request) => checkCycle(request, undefined, 'worker', []),
    },
  );

const CONSTANT = {
  mcp_version: '1.2',
  caller: 'tester_v1.0',
  callee: 'worker_v1.0',
  method: 'work',
  tenant: 'default',
  principal: { id: 'mary', roles: ['operator'] },
  goal_id: 'goal-1',
  chain: ['boss_v1.0', 'tester_v1.0'],
};
const TAIL = {
  request_id: 'r1',
  timeout_ms: 5_000,
  deadline_unix_ms: NOW + 5_000,
  sent_at_unix_ms: NOW,
  clock_offset_ms: 0,
  attempt: 1,
  traceparent: undefined as string | undefined,
  params: { n: 1 } as Readonly<Record<string, unknown>>,
};
function canonical(constant: Readonly<Record<string, unknown>> = {}, tail: Partial<typeof TAIL> = {}): Uint8Array {
  const last = { ...TAIL, ...tail };
  const prefix = encodePrefix({ ...CONSTANT, ...constant }, last.traceparent !== undefined);
  return encodeRequest(prefix as Uint8Array, last) as Uint8Array;
}
const LEARNT = canonical();

interface Sent {
  readonly payload: Uint8Array;
  readonly subject?: string;
  readonly reply?: string;
}

/** What becomes of a message, and what of it could be answered. */
function fate(intake: Intake, { payload, subject = SUBJECT, reply = REPLY }: Sent): unknown {
  const seen: Seen = {
    format: 'msgpack',
    requestId: '',
    lawful: false,
    version: '1.2',
    request: undefined,
    after: undefined,
    comesBack: false,
  };
  let outcome: unknown;
  try {
    outcome = { admitted: intake.admit({ payload, subject, reply }, NOW, seen) };
  } catch (thrown) {
    const { reason, message, data } = toHermesError(thrown);
    outcome = { reason, message, data };
  }
  const { format, requestId, lawful, version } = seen;
  return lawful ? { outcome, format, requestId, version } : { outcome };
}

function warm(): Intake {
  const intake = fresh();
  expect(fate(intake, { payload: LEARNT })).toMatchObject({ outcome: { admitted: { request_id: 'r1' } } });
  return intake;
}

const oneOf = <T>(...values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const constants = fc.record(
  {
    mcp_version: fc.constantFrom('1.2', '1.1', '9.0'),
    caller: fc.constantFrom('tester_v1.0', 'boss_v1.0', 'tester_v1.1'),
    callee: fc.constantFrom('worker_v1.0', 'worker_v1.9', 'other_v1.0'),
    method: fc.constantFrom('work', 'other', 'Work'),
    tenant: oneOf('default', 'another'),
    principal: oneOf<unknown>(
      { id: 'mary', roles: ['admin'] },
      { id: 'mark', roles: ['operator'] },
      { id: 'eve', roles: ['operator'] },
      { id: '' },
    ),
    goal_id: oneOf<unknown>('goal-1', 'goal-2', 7),
    chain: oneOf<unknown>(
      [],
      ['bosz_v1.0', 'tester_v1.0'],
      ['worker_v1.0', 'tester_v1.0'],
      Array(20).fill('a_v1.0'),
      'a',
    ),
    via: oneOf<unknown>([], ['worker-b'], 'worker-b'),
  },
  { noNullPrototype: true },
);
const tails = fc.record(
  {
    request_id: fc.constantFrom('r1', 'r2', '', 'x'.repeat(LIMITS.requestIdChars + 1)),
    sent_at_unix_ms: fc.constantFrom(NOW, NOW - 5_000, NOW + 5_000),
    deadline_unix_ms: fc.constantFrom(0, NOW, NOW + 9_000),
    clock_offset_ms: fc.constantFrom(0, 5_000, Number.NaN, Number.POSITIVE_INFINITY),
    attempt: fc.integer({ min: 0, max: 5 }),
    traceparent: oneOf(`00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`),
    params: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3, noNullPrototype: true }),
  },
  { noNullPrototype: true },
);
const places = fc.record(
  {
    subject: fc.constantFrom(
      SUBJECT,
      'hermes.default.call.worker.v1.boss',
      'hermes.default.direct.worker.worker-a.worker',
    ),
    reply: fc.constantFrom(REPLY, 'hermes.default.reply.boss.nonce'),
  },
  { requiredKeys: [] },
);

/** A few of the fields, so that one that is refused does not hide the others. */
const few = <T extends object>(all: fc.Arbitrary<T>, keys: readonly (keyof T & string)[]): fc.Arbitrary<Partial<T>> =>
  fc
    .tuple(all, fc.subarray([...keys], { maxLength: 2 }))
    .map(([value, chosen]) => Object.fromEntries(chosen.map((key) => [key, value[key]])) as Partial<T>);
const fewConstants = few(constants, [
  'mcp_version',
  'caller',
  'callee',
  'method',
  'tenant',
  'principal',
  'goal_id',
  'chain',
  'via',
]);
const fewTails = few(tails, [
  'request_id',
  'sent_at_unix_ms',
  'deadline_unix_ms',
  'clock_offset_ms',
  'attempt',
  'traceparent',
  'params',
]);

describe('an intake that has learnt a message', () => {
  test('says of every other message what one says that has learnt nothing, whatever field differs', () => {
    let admitted = 0;
    fc.assert(
      fc.property(fewConstants, fewTails, places, (constant, tail, place) => {
        const sent = { payload: canonical(constant, tail), ...place };
        const cold = fate(fresh(), sent);
        expect(fate(warm(), sent)).toEqual(cold);
        if (JSON.stringify(cold).includes('admitted')) admitted++;
      }),
      { numRuns: 2_000 },
    );
    expect(admitted).toBeGreaterThan(200);
  });

  test('also when any bytes of the learnt message are changed, cut off or added', () => {
    const change = fc.tuple(fc.nat(LEARNT.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), fc.integer({ min: -20, max: 3 }), (changes, more) => {
        const payload = new Uint8Array(more > 0 ? LEARNT.length + more : LEARNT.length);
        payload.set(LEARNT);
        for (const [at, to] of changes) payload[at] = to;
        const sent = { payload: more < 0 ? payload.subarray(0, more) : payload };
        expect(fate(warm(), sent)).toEqual(fate(fresh(), sent));
      }),
      { numRuns: 3_000 },
    );
  });

  test.each([-1, 0, 1])('also of one that is %s bytes over what a message may hold', (over) => {
    const empty = canonical({}, { params: { text: 'x'.repeat(70_000) } }).length - 70_000;
    const payload = canonical({}, { params: { text: 'x'.repeat(LIMITS.messageBytes - empty + over) } });
    expect(payload.length).toBe(LIMITS.messageBytes + over);
    const cold = fate(fresh(), { payload });
    expect(fate(warm(), { payload })).toEqual(cold);
    expect(cold).toMatchObject({ outcome: over > 0 ? { reason: 'invalid_params' } : { admitted: {} } });
  });
});
