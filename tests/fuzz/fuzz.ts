import { decodeMessage } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import { drawFrame, type Frame, kindOf } from './draw-frame.js';
import { type FuzzTarget, fuzzTarget } from './target.js';

export interface FuzzOptions {
  readonly seed: number;
  readonly frames: number;
  /** This frame alone: how a violation is looked at. */
  readonly only?: number;
  /** Collects garbage and says what is left, bytes; without it the heap is not judged. */
  readonly heap?: () => number;
  /** Processor time so far, ms: a frame that takes much of it is a hang. Other work on the machine takes none. */
  readonly cpu: () => number;
  readonly progress?: (done: number, frame: Frame) => void;
}

export interface Violation {
  readonly frame: number;
  readonly what: string;
}

export interface FuzzReport {
  /** Frames by what became of them, `request: answered 400 invalid_params`. */
  readonly verdicts: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
  readonly honestCalls: number;
  /** Bytes that were kept at a fifth of the way and at the end. */
  readonly heap: readonly [number, number];
}

const HONEST_EVERY = 25;
/** More than this of the processor for one frame is a hang in the making. */
const SLOW_MS = 2_000;
/** What the collector leaves more or less between two looks. */
const HEAP_SLACK = 6 * 1_048_576;
/** A reply's call has this long; less than what counts against a circuit. */
const REPLY_DEADLINE_MS = 300;

/** Sends one mutant after another and says what became of each; the target is the same all the way. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, only, cpu } = options;
  const verdicts = new Map<string, number>();
  const violations: Violation[] = [];
  const escaped: string[] = [];
  const onEscape = (thrown: unknown): void =>
    void escaped.push(thrown instanceof Error ? `${thrown.stack}` : `${thrown}`);
  process.on('unhandledRejection', onEscape);
  process.on('uncaughtException', onEscape);
  const target = await fuzzTarget(seed);
  let honestCalls = 0;
  let early = 0;
  const numbers = only === undefined ? countTo(options.frames) : [only];
  try {
    for (const n of numbers) {
      const report = (what: string): void => void violations.push({ frame: n, what });
      const began = cpu();
      const frame = await sendOne(target, seed, n, verdicts, report);
      for (const what of escaped.splice(0)) report(`escaped: ${what}`);
      if (cpu() - began > SLOW_MS) report(`took ${Math.round(cpu() - began)} ms`);
      if (n % HONEST_EVERY === 0 || only !== undefined) {
        honestCalls++;
        const fine = await target.honest(n);
        if (fine !== true) report(`an honest call afterwards: ${fine}`);
      }
      options.progress?.(n, frame);
      if (n === Math.ceil(options.frames / 5)) early = options.heap?.() ?? 0;
      if (violations.length > 20) break;
    }
    const late = options.heap?.() ?? 0;
    const last = only ?? options.frames;
    if (late - early > HEAP_SLACK && early > 0) {
      violations.push({ frame: last, what: `the heap grew from ${early} to ${late} bytes` });
    }
    for (const what of await atRest(target)) violations.push({ frame: last, what });
    return { verdicts, violations, honestCalls, heap: [early, late] };
  } finally {
    process.off('unhandledRejection', onEscape);
    process.off('uncaughtException', onEscape);
  }
}

function* countTo(last: number): Generator<number> {
  for (let n = 1; n <= last; n++) yield n;
}

/** When nothing is sent any more nothing waits or runs, and an honest call goes through for either instance. */
async function atRest(target: FuzzTarget): Promise<string[]> {
  await target.clock.advance(6_000);
  const wrong = [await target.honest(0), await target.honest(1)].filter((said) => said !== true) as string[];
  if (target.caller.pending > 0) wrong.push(`${target.caller.pending} calls still wait at the caller`);
  for (const { load } of target.endpoints) {
    if (load.running + load.waiting > 0) wrong.push(`an endpoint still holds ${load.running} + ${load.waiting} calls`);
  }
  return wrong;
}

async function sendOne(
  target: FuzzTarget,
  seed: number,
  n: number,
  verdicts: Map<string, number>,
  report: (what: string) => void,
): Promise<Frame> {
  const kind = kindOf(seed, n);
  target.take();
  const { frame, verdict } =
    kind === 'reply' ? await sendReply(target, seed, n, report) : await send(target, seed, n, report);
  for (const line of target.take().errors) if (!EXPECTED.test(line)) report(`an error was logged: ${line}`);
  const name = `${kind}: ${verdict}`;
  verdicts.set(name, (verdicts.get(name) ?? 0) + 1);
  return frame;
}

/** The method that fails as asked is no defect; everything else of level error is. */
const EXPECTED = /^a method threw: HermesError: as asked/;

interface Sent {
  readonly frame: Frame;
  readonly verdict: string;
}

/** Requests, events and beats. A request at a lawful address is answered exactly once. */
async function send(target: FuzzTarget, seed: number, n: number, report: (what: string) => void): Promise<Sent> {
  const { clock, hand, look } = target;
  const frame = drawFrame(seed, n, Math.round(clock.now()));
  const { subject, payload, reply } = frame;
  try {
    hand.bus.publish(subject, payload, reply === undefined ? {} : { reply });
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    return { frame, verdict: `not sent, ${thrown.reason}` };
  }
  await clock.advance(5);
  const answers = (): readonly Uint8Array[] => look().replies.get(reply ?? '') ?? [];
  if (frame.kind === 'request' && answers().length === 0) await clock.advance(250);
  const { rejected, served } = look();
  const [first, second] = answers();
  if (second) report('answered twice');
  if (frame.lawful && !first) report('a lawful reply address and no answer');
  if (first && reply?.includes('.stranger.') && frame.subject.endsWith('.tester')) report('a stranger was answered');
  if (first) return { frame, verdict: verdictOf(first, report) };
  if (rejected.length > 0) return { frame, verdict: `refused, counted ${rejected[0]}` };
  if (frame.kind !== 'request') return { frame, verdict: 'taken' };
  if (reply !== undefined) report('neither answered nor counted');
  return { frame, verdict: served > 0 ? 'served, no reply address' : 'ended, no reply address' };
}

function verdictOf(payload: Uint8Array, report: (what: string) => void): string {
  const { error } = decodeMessage(payload).message as { error?: { code: number; data: { reason: string } } };
  if (error?.data.reason === 'internal') report('answered internal');
  return error ? `answered ${error.code} ${error.data.reason}` : 'answered, served';
}

/** A call to the mute component, and a mutant in place of its answer: the call always ends, and as a HermesError. */
async function sendReply(target: FuzzTarget, seed: number, n: number, report: (what: string) => void): Promise<Sent> {
  const { clock, caller, hand, asked } = target;
  asked.length = 0;
  const retry = { max_attempts: 1 };
  const spec = {
    callee: 'mute_v1.0',
    method: 'work',
    params: { n },
    retry,
    deadlineAt: clock.now() + REPLY_DEADLINE_MS,
  };
  let verdict: string | undefined;
  const done = caller.call(spec).then(
    () => {
      verdict = 'call answered';
    },
    (thrown: unknown) => {
      const isOurs = thrown instanceof HermesError;
      verdict = isOurs ? `call failed ${thrown.code} ${thrown.reason}` : 'call failed';
      if (!isOurs || thrown.cause instanceof TypeError) report(`the call failed by ${String(thrown)}`);
    },
  );
  await clock.advance(2);
  const [request] = asked;
  const id = request && decodeMessage(request.payload).message.request_id;
  const frame = drawFrame(seed, n, Math.round(clock.now()), String(id));
  try {
    for (let left = frame.twice ? 2 : 1; left > 0 && request?.reply; left--)
      hand.bus.publish(request.reply, frame.payload);
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    verdict = `not sent, ${thrown.reason}`;
  }
  await clock.advance(5);
  if (verdict === undefined || verdict.startsWith('not sent')) await clock.advance(REPLY_DEADLINE_MS + 2_100);
  if (verdict === undefined) report('the call never ended');
  else await done;
  if (caller.pending > 0) report(`${caller.pending} calls still wait`);
  return { frame, verdict: verdict ?? 'none' };
}
