import type { Clock } from '../shared/clock.js';
import { HermesError, toHermesError } from '../shared/errors.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { LocalCall } from './local-bus.js';
import { decodeMessage, packValue, unpackValue } from './protocol/codec.js';
import { kindToken, subjects } from './protocol/subjects.js';
import { parseTraceparent } from './protocol/trace-context.js';
import { type Capture, type CapturedMessage, prefixRange, type Store, type StoreChange } from './transport/index.js';

/** One message as it went by. */
export interface JournalEntry {
  readonly seq: number;
  readonly at: number;
  readonly kind: 'call' | 'direct' | 'reply' | 'event' | 'tool';
  readonly subject: string;
  readonly request_id?: string;
  readonly trace_id?: string;
  readonly goal_id?: string;
  readonly message: Readonly<Record<string, unknown>>;
  /**
   * Why the message could not be read. It was said, so it stands here: of one from the bus `message` is its size in
   * `bytes` and its beginning (`head`, hex), of a tool call whatever can be kept beside its params and result.
   */
  readonly unreadable?: string;
}

export interface JournalQuery {
  readonly request_id?: string;
  readonly trace_id?: string;
  readonly since?: number;
  /** The newest so many. Default 1000. */
  readonly limit?: number;
}

/**
 * Everything said between components, as it was said: requests, responses, events, and the tool calls inside agents.
 * Best effort: what could not be kept is counted as a gap, what could not be read is kept as `unreadable`; the record
 * (runtime/record) is not best effort.
 */
export interface Journal {
  observeLocal(call: LocalCall): void;
  /** In the order in which it was said. */
  query(query: JournalQuery): Promise<JournalEntry[]>;
  /** Entries that are missing. */
  readonly gaps: number;
  /** Writes what waits. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

type Said = Omit<JournalEntry, 'seq' | 'at'>;

const pad = (seq: number): string => String(seq).padStart(16, '0');

/** Encryption at rest of what is kept, bound to its place. */
export interface Sealer {
  seal(plain: Uint8Array, place: string): Uint8Array;
  open(sealed: Uint8Array, place: string): Uint8Array;
}

/** Position in the capture of the last message that was kept: a restart goes on behind it. */
const CURSOR = 'c/captured';
/** Entries that may wait to be written before the capture has to wait too. */
const WAITING = 1_000;

export async function openJournal(
  deps: { capture: Capture; store: Store; sealer: Sealer; clock: Clock; logger: Logger },
  options: { tenant: string; maxEntries: number },
): Promise<Journal> {
  const { capture, store, sealer, clock, logger } = deps;
  let seq = 0;
  for await (const [key] of store.range({ ...prefixRange('j/'), reverse: true, limit: 1 })) seq = Number(key.slice(2));
  const known = await store.get(CURSOR);
  let captured = known ? Number(new TextDecoder().decode(known)) : 0;
  let gaps = 0;
  let waiting: StoreChange[] = [];
  let writing: Promise<void> = Promise.resolve();
  let scheduled = false;
  /** Trace of a request still without its reply, so that the reply is found by trace too. */
  const traces = new Map<string, { trace_id?: string; goal_id?: string }>();

  const missed = (entries: number, thrown: unknown): void => {
    gaps += entries;
    logger.warn({ detail: toHermesError(thrown).message, gaps }, 'the journal has a gap');
  };

  const packed = (at: number, said: Said): { entry: JournalEntry; plain: Uint8Array } => {
    const entry: JournalEntry = { seq: seq + 1, at, ...said };
    return { entry, plain: packValue(entry) };
  };

  /** What was said, or what is left of it when it cannot be read or packed. */
  const readable = (at: number, read: () => Said, bare: () => Said): ReturnType<typeof packed> => {
    try {
      return packed(at, read());
    } catch (thrown) {
      return packed(at, { ...bare(), unreadable: toHermesError(thrown).message });
    }
  };

  /** Whoever is observed never pays for it: what cannot be kept is a gap. */
  const keep = (at: number, read: () => Said, bare: () => Said): void => {
    try {
      const { entry, plain } = readable(at, read, bare);
      const place = pad(entry.seq);
      const value = sealer.seal(plain, `journal|${place}`);
      seq = entry.seq;
      waiting.push({ type: 'put', key: `j/${place}`, value });
      for (const key of indexKeys(entry)) waiting.push({ type: 'put', key, value: new Uint8Array() });
      schedule();
    } catch (thrown) {
      missed(1, thrown);
    }
  };

  /** Nothing older is kept. */
  let oldest = 0;
  const prune = async (): Promise<void> => {
    const end = seq - options.maxEntries + 1;
    if (end <= oldest) return;
    const fallen: StoreChange[] = [];
    for await (const [key, bytes] of store.range({ from: `j/${pad(oldest)}`, to: `j/${pad(end)}` })) {
      const entry = openEntry(sealer, key.slice(2), bytes, logger);
      for (const old of [key, ...(entry ? indexKeys(entry) : [])]) fallen.push({ type: 'del', key: old });
    }
    if (fallen.length > 0) await store.batch(fallen);
    oldest = end;
  };

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    writing = writing.then(async () => {
      scheduled = false;
      const batch = waiting;
      waiting = [];
      if (batch.length === 0) return;
      const entries = batch.filter(({ key }) => key.startsWith('j/')).length;
      await store.batch(batch).catch((error: unknown) => missed(entries, error));
      await prune().catch((error: unknown) => {
        logger.warn({ detail: toHermesError(error).message }, 'old journal entries wait for the next write');
      });
    });
  };

  /** Numbers of a stored capture have no holes: one is a message that fell out before it was read. */
  const keepCaptured = (message: CapturedMessage): Promise<void> | undefined => {
    const lost = captured > 0 ? message.seq - captured - 1 : 0;
    if (lost > 0) missed(lost, new HermesError('not_found', 'captured messages are gone', { lost }));
    const { subject, payload } = message;
    const kind = kindOf(subject);
    keep(
      message.at,
      () => {
        const { message: body } = decodeMessage(payload);
        return { ...describe(kind, body, traces), subject, message: body };
      },
      () => ({ kind, subject, message: { bytes: payload.byteLength, head: headOf(payload) } }),
    );
    if (message.seq === 0) return undefined;
    captured = message.seq;
    waiting.push({ type: 'put', key: CURSOR, value: new TextEncoder().encode(String(captured)) });
    schedule();
    return waiting.length > WAITING ? writing : undefined;
  };
  const following = capture.follow(subjects.journal(options.tenant), captured, keepCaptured);

  return {
    observeLocal: (call) =>
      keep(
        Math.round(clock.now()),
        () => describeLocal(call),
        () => bareLocal(call),
      ),
    async query(query) {
      await writing;
      return readEntries(store, sealer, query);
    },
    get gaps() {
      return gaps;
    },
    flush: () => writing,
    async close() {
      await following.stop();
      await writing;
    },
  };
}

/** Where an entry is found without its number; a name from outside may hold a slash, the place is behind the last. */
function indexKeys({ seq, trace_id, request_id }: JournalEntry): string[] {
  const place = pad(seq);
  return [...(trace_id ? [`t/${trace_id}/${place}`] : []), ...(request_id ? [`r/${request_id}/${place}`] : [])];
}

/** An entry on its way out; one that does not open goes without its index rows, which then lead nowhere. */
function openEntry(sealer: Sealer, place: string, bytes: Uint8Array, logger: Logger): JournalEntry | undefined {
  try {
    return unpackValue(sealer.open(bytes, `journal|${place}`)) as JournalEntry;
  } catch (thrown) {
    logger.warn({ place, detail: toHermesError(thrown).message }, 'an old journal entry does not open');
    return undefined;
  }
}

function describeLocal({ request, ms, result, error }: LocalCall): Said {
  const trace = parseTraceparent(request.traceparent);
  return {
    kind: 'tool',
    subject: `tool.${request.callee}`,
    request_id: request.request_id,
    ...(trace ? { trace_id: trace.trace_id } : {}),
    ...(request.goal_id ? { goal_id: request.goal_id } : {}),
    message: { ...request, ms, result, error: error?.toWire() },
  };
}

/** Without params and result, which came from a tool and may be anything. */
function bareLocal(call: LocalCall): Said {
  const { caller, callee, method } = call.request;
  return { ...describeLocal(call), message: { caller, callee, method, ms: call.ms } };
}

/** Enough to tell who speaks another language; the whole might be as large as it likes. */
const HEAD_BYTES = 64;
const headOf = (payload: Uint8Array): string => Buffer.from(payload.subarray(0, HEAD_BYTES)).toString('hex');

function kindOf(subject: string): Exclude<JournalEntry['kind'], 'tool'> {
  const token = kindToken(subject);
  return token === 'event' || token === 'reply' || token === 'direct' ? token : 'call';
}

type Traces = Map<string, { trace_id?: string; goal_id?: string }>;

function describe(
  kind: ReturnType<typeof kindOf>,
  body: Record<string, unknown>,
  traces: Traces,
): Omit<Said, 'subject' | 'message'> {
  const requestId = typeof body.request_id === 'string' ? body.request_id : undefined;
  if (kind === 'event') {
    const data = body.data as Record<string, unknown> | undefined;
    const trace = typeof data?.trace_id === 'string' ? data.trace_id : undefined;
    return { kind, ...(trace ? { trace_id: trace } : {}) };
  }
  if (kind === 'reply') {
    const known = requestId ? traces.get(requestId) : undefined;
    if (requestId) traces.delete(requestId);
    return { kind, ...(requestId ? { request_id: requestId } : {}), ...known };
  }
  const trace = parseTraceparent(typeof body.traceparent === 'string' ? body.traceparent : undefined)?.trace_id;
  const goal = typeof body.goal_id === 'string' ? body.goal_id : undefined;
  const known = { ...(trace ? { trace_id: trace } : {}), ...(goal ? { goal_id: goal } : {}) };
  if (requestId) {
    const oldest = traces.size > 10_000 ? traces.keys().next().value : undefined;
    if (oldest) traces.delete(oldest);
    traces.set(requestId, known);
  }
  return { kind, ...(requestId ? { request_id: requestId } : {}), ...known };
}

/** From the newest back, so that a limit leaves out the oldest; handed out in the order in which it was said. */
async function readEntries(store: Store, sealer: Sealer, query: JournalQuery): Promise<JournalEntry[]> {
  const limit = query.limit ?? 1_000;
  const entries: JournalEntry[] = [];
  const { trace_id, request_id, since } = query;
  const index = request_id ? `r/${request_id}/` : trace_id ? `t/${trace_id}/` : undefined;
  // The limit is of entries that fit: it is counted here.
  for await (const [key, value] of store.range({ ...prefixRange(index ?? 'j/'), reverse: true })) {
    const place = key.slice(index?.length ?? 'j/'.length);
    const bytes = index ? await store.get(`j/${place}`) : value;
    if (!bytes) continue;
    const entry = unpackValue(sealer.open(bytes, `journal|${place}`)) as JournalEntry;
    if (since !== undefined && entry.at < since) continue;
    if (request_id && trace_id && entry.trace_id !== trace_id) continue;
    entries.push(entry);
    if (entries.length >= limit) break;
  }
  return entries.reverse();
}
