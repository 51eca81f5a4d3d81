import { encodePrefix, encodeRequest } from '../../mcp/protocol/canonical-request.js';
import { type Random, seededRandom } from '../../shared/random.js';
import { looseBytes, mutateBytes, mutateFields, shuffled } from './mutate.js';

type Raw = Record<string, unknown>;

/** What a frame pretends to be. */
export type FrameKind = 'request' | 'reply' | 'event' | 'beat';

/** One mutant with its way: the same for one seed, number and instant. */
export interface Frame {
  readonly kind: FrameKind;
  /** For a reply: `''`, the caller under test has the address. */
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly reply: string | undefined;
  /** The reply address is the speaker's own: an answer is due. */
  readonly lawful: boolean;
  /** A reply that comes twice. */
  readonly twice: boolean;
}

const one = <T>(random: Random, from: readonly T[]): T => from[random.int(from.length)] as T;
const TOPICS = ['call.cancel', 'call.cancel', 'agent.degraded', 'alarm.raised', 'circuit.state_changed', 'no.topic'];

export const kindOf = (seed: number, n: number): FrameKind => {
  const drawn = drawOf(seed, n).stream('kind').float();
  if (drawn < 0.62) return 'request';
  if (drawn < 0.84) return 'reply';
  return drawn < 0.96 ? 'event' : 'beat';
};

const drawOf = (seed: number, n: number): Random => seededRandom(`fuzz ${seed}/${n}`);

/** @param requestId of the call that a reply is for. */
export function drawFrame(seed: number, n: number, now: number, requestId = `fuzz-${n}`): Frame {
  const random = drawOf(seed, n);
  const kind = kindOf(seed, n);
  const json = random.int(3) === 0;
  const draw = MESSAGES[kind];
  const message = draw(random, now, requestId);
  for (let left = random.int(3); left > 0; left--) mutateFields(message, random);
  let payload = canonical(message, kind, json, random);
  const other = looseBytes(draw(random, now, 'other'), random.int(2) === 0);
  for (let left = random.int(3); left > 0; left--) payload = mutateBytes(payload, other, random);
  const way = { kind, payload, twice: random.int(4) === 0 };
  if (kind === 'request') return { ...way, ...requestWay(random, n) };
  return { ...way, subject: SUBJECTS[kind](random), reply: undefined, lawful: false };
}

function canonical(message: Raw, kind: FrameKind, json: boolean, random: Random): Uint8Array {
  if (kind !== 'request' || json || random.int(2) === 0) return looseBytes(shuffled(message, random), json);
  const { request_id, timeout_ms, deadline_unix_ms, sent_at_unix_ms, clock_offset_ms, attempt, params, ...first } =
    message;
  const tail = { request_id, timeout_ms, deadline_unix_ms, sent_at_unix_ms, clock_offset_ms, attempt, params };
  try {
    const prefix = encodePrefix(first, false);
    const bytes = prefix && encodeRequest(prefix, tail as Parameters<typeof encodeRequest>[1]);
    return bytes ?? looseBytes(message, false);
  } catch (thrown) {
    // The canonical writer takes what is typed right; what was mutated goes the loose way.
    if (thrown instanceof Error) return looseBytes(message, false);
    throw thrown;
  }
}

const MESSAGES: Readonly<Record<FrameKind, (random: Random, now: number, id: string) => Raw>> = {
  request: (random, now, id) => ({
    jsonrpc: '2.0',
    mcp_version: random.int(8) === 0 ? '1.1' : '1.2',
    kind: 'agent_call_request',
    caller: 'tester_v1.0',
    callee: 'worker_v1.0',
    method: one(random, ['work', 'work', 'work', 'slow', 'fail', 'health', 'other']),
    tenant: 'default',
    principal: { id: 'someone', roles: ['operator'] },
    chain: ['tester_v1.0'],
    ...(random.int(6) === 0 ? { via: ['worker-00000009'] } : {}),
    ...(random.int(6) === 0 ? { retry_policy: { max_attempts: 3, backoff_factor: 2 } } : {}),
    request_id: id,
    timeout_ms: 5_000,
    deadline_unix_ms: now + one(random, [5_000, 5_000, 50, 1]),
    sent_at_unix_ms: now,
    clock_offset_ms: 0,
    attempt: 1,
    params: { key: one(random, ['a', 'b', 'elsewhere']), ms: random.int(100), list: [1, 'two', { three: 3 }] },
  }),
  reply: (random, now, id) => ({
    jsonrpc: '2.0',
    mcp_version: '1.2',
    request_id: id,
    served_by: one(random, ['mute-00000001', 'worker-00000001']),
    timing: { received_at_unix_ms: now, replied_at_unix_ms: now, queued_ms: 0, ran_ms: 1, stages: [] },
    ...(random.int(3) === 0
      ? { error: { code: 408, name: 'MCP_ERR_TIMEOUT', message: 'no', data: { reason: refusalOf(random), now } } }
      : { result: { value: 42 } }),
  }),
  event: (random, now, id) => ({
    mcp_version: '1.2',
    event_id: `e-${id}`,
    topic: one(random, TOPICS),
    source: one(random, ['tester', 'worker']),
    tenant: 'default',
    data: { request_id: id, component: 'worker' },
    at: now,
  }),
  beat: (random) => ({ instance: one(random, ['worker-00000001', 'worker-00000002']), load: random.int(300) }),
};

const refusalOf = (random: Random): string =>
  one(random, ['deadline', 'stale_or_skewed', 'overloaded', 'not_ready', 'no_such_reason', 'constructor']);

const SUBJECTS: Readonly<Record<Exclude<FrameKind, 'request'>, (random: Random) => string>> = {
  reply: () => '',
  event: (random) => `hermes.default.event.${one(random, ['tester', 'worker'])}.${one(random, TOPICS)}`,
  beat: (random) => `hermes.default.beat.${one(random, ['worker', 'worker', 'mute'])}`,
};

/** Most ways are lawful; some point elsewhere, some want no answer, some claim to have been passed on. */
function requestWay(random: Random, n: number): Pick<Frame, 'subject' | 'reply' | 'lawful'> {
  const subject = one(random, [
    'hermes.default.call.worker.v1.tester',
    'hermes.default.call.worker.v1.tester',
    'hermes.default.direct.worker.worker-00000001.tester',
    'hermes.default.direct.worker.worker-00000001.worker',
    'hermes.default.call.worker.v1.other',
  ]);
  const speaker = subject.endsWith('.other') ? 'other' : 'tester';
  // Who passed a message on is known by what the message says: an answer is due only when that can be read.
  const lawful = !subject.endsWith('.worker');
  const drawn = random.int(12);
  if (drawn === 0) return { subject, reply: undefined, lawful: false };
  if (drawn === 1) return { subject, reply: `hermes.default.reply.stranger.f${n}`, lawful: false };
  return { subject, reply: `hermes.default.reply.${speaker}.f${n}`, lawful };
}
