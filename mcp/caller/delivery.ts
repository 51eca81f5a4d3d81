import type { Clock } from '../../shared/clock.js';
import { HermesError, toHermesError, type WireError } from '../../shared/errors.js';
import type { Random } from '../../shared/random.js';
import type { BeatListener } from '../beats.js';
import { createLruMap, type LruMap } from '../lru-map.js';
import type { ComponentId } from '../protocol/component-id.js';
import type { Response } from '../protocol/envelope.js';
import type { Asking } from './asking.js';
import type { CallSpec } from './call-spec.js';
import { chooseInstance, fits } from './choose-instance.js';
import type { ClockOffsets } from './clock-offsets.js';
import type { Pending, Waiting } from './pending.js';
import { type Candidate, noWorker, type Presence } from './presence.js';

export interface DeliveryDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly presence: Presence;
  readonly beats: BeatListener;
  readonly pending: Pending;
  readonly offsets: ClockOffsets;
  /** Sends one delivery; `instance` undefined: to the queue group. */
  readonly send: (asking: Asking, instance: string | undefined) => void;
  /** Tells the callees that the caller wants no more of it. */
  readonly cancel: (requestId: string) => void;
  readonly requestId: () => string;
}

export interface Delivery {
  begin(spec: CallSpec, callee: ComponentId, requestId: string): Asking;
  /**
   * One attempt. It goes on to the next instance at once, under the same request id, where the one that was asked has
   * not begun (dead, overloaded, stopping, too old) or has died: nobody executes twice, the record is the claim.
   * @throws HermesError of the callee, or of the way there.
   */
  deliver(asking: Asking): Promise<Response>;
  /**
   * Does all the work of a call under one ear for its signal: an abort at any moment after the first delivery, in
   * back-off too, tells the callees, and one that is being asked has a moment to say what became of the call.
   */
  attended<T>(asking: Asking, work: () => Promise<T>): Promise<T>;
  /** An answer has come for this call. */
  heard(waiting: Waiting, response: Response): void;
}

/** Corrections of the clock within one call; a callee that is never content is not asked for ever. */
const CORRECTIONS = 2;
const CLOCK_TIMEOUT_MS = 1_000;
const COMPONENTS = 1_000;
const OWNERS = 10_000;
const NOBODY: ReadonlySet<string> = new Set();
/** Said before anything was begun: another instance may do better. */
const ELSEWHERE: ReadonlySet<string> = new Set(['overloaded', 'not_ready', 'version_skew', 'owner_moved']);

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { clock, presence, pending, offsets } = deps;
  /** Instance that served an actor key last, by component and key. */
  const owners = createLruMap<LruMap<string>>(COMPONENTS);
  const random = deps.random.stream('instance');

  const choose = (asking: Asking, candidates: readonly Candidate[], avoid: ReadonlySet<string>) => {
    const { callee, spec } = asking;
    return chooseInstance(candidates, {
      asked: callee,
      avoid,
      owner: spec.key === undefined ? undefined : owners.get(callee.name)?.get(spec.key),
      load: (instance) => deps.beats.load(callee.name, instance) + pending.waitingAt(instance),
      random,
    });
  };

  /** Undefined: the queue group. @throws HermesError `no_worker`, or `bad_version` with what is there. */
  const pick = (asking: Asking): string | undefined => {
    const { callee, spec } = asking;
    const candidates = presence.of(callee.name);
    if (spec.instance !== undefined) {
      if (candidates.some(({ instance }) => instance === spec.instance)) return spec.instance;
      throw noWorker(callee.name);
    }
    if (candidates.length === 0) throw noWorker(callee.name);
    const chosen = choose(asking, candidates, asking.avoid ?? NOBODY);
    if (chosen !== undefined) return chosen;
    asking.avoid = undefined;
    const again = choose(asking, candidates, NOBODY);
    if (again !== undefined || candidates.some((candidate) => fits(candidate, callee))) return again;
    throw tooOld(callee, candidates);
  };

  const attempt = (asking: Asking, instance: string | undefined): Promise<Response> => {
    const { spec, requestId } = asking;
    if (spec.signal?.aborted) throw cancelled(spec.signal, asking.deliveries);
    const now = clock.now();
    const left = spec.deadlineAt - now;
    if (left <= 0) throw new HermesError('deadline', 'the deadline is over', { started: false });
    asking.deliveries++;
    return new Promise<Response>((resolve, reject) => {
      const waitMs = Math.min(left, spec.timeoutMs ?? left);
      const sentAt = Math.round(now);
      pending.add({ asking, instance, sentAt, resolve, reject }, waitMs);
      try {
        deps.send(asking, instance);
      } catch (error) {
        pending.take(requestId);
        throw error;
      }
    });
  };

  const attended = <T>(asking: Asking, work: () => Promise<T>): Promise<T> => {
    const { signal } = asking.spec;
    return signal === undefined || signal.aborted ? work() : heeding(signal, asking, work);
  };

  const heeding = async <T>(signal: AbortSignal, asking: Asking, work: () => Promise<T>): Promise<T> => {
    const abort = (): void => {
      if (asking.deliveries === 0) return;
      deps.cancel(asking.requestId);
      pending.settle(asking.requestId);
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await work();
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };

  /** By an exchange of its own: one that was quick enough. */
  const askClock = async (asking: Asking): Promise<boolean> => {
    const { spec, callee, servedBy } = asking;
    const asked = begin(
      {
        callee: spec.callee,
        method: 'clock',
        params: {},
        deadlineAt: Math.min(spec.deadlineAt, clock.now() + CLOCK_TIMEOUT_MS),
        ...(spec.chain ? { chain: spec.chain } : {}),
      },
      callee,
      deps.requestId(),
    );
    try {
      // Any answer tells the time, a refusal too.
      await attempt(asked, servedBy);
    } catch (thrown) {
      if (toHermesError(thrown).reason !== 'deadline') throw thrown;
    }
    return asked.clockTold;
  };

  const goesOn = async (error: HermesError, asking: Asking, target: string | undefined): Promise<boolean> => {
    const { spec, callee } = asking;
    if (spec.signal?.aborted || spec.deadlineAt <= clock.now()) return false;
    if (error.reason === 'stale_or_skewed') {
      if (asking.corrections++ >= CORRECTIONS) return false;
      return asking.clockTold || (await askClock(asking));
    }
    const at = target ?? asking.servedBy;
    if (at === undefined || spec.instance !== undefined) return false;
    const { reason, data } = error;
    const elsewhere =
      (ELSEWHERE.has(reason) && data.started === false) ||
      (reason === 'bad_version' && target !== undefined) ||
      (reason === 'instance_lost' && data.instance === target);
    if (!elsewhere && data.no_answer !== true) return false;
    asking.avoid ??= new Set();
    asking.avoid.add(at);
    return elsewhere && choose(asking, presence.of(callee.name), asking.avoid) !== undefined;
  };

  const begin: Delivery['begin'] = (spec, callee, requestId) => ({
    spec,
    callee,
    requestId,
    deliveries: 0,
    traceparent: undefined,
    avoid: undefined,
    servedBy: undefined,
    clockTold: false,
    corrections: 0,
    unanswered: false,
  });

  return {
    begin,
    attended,
    async deliver(asking) {
      for (;;) {
        const target = pick(asking);
        try {
          const response = await attempt(asking, target);
          if (!response.error) return response;
          throw refusal(response);
        } catch (thrown) {
          const error = toHermesError(thrown);
          asking.unanswered ||= error.data.outcome === 'unknown';
          if (!(await goesOn(error, asking, target))) throw error;
        }
      }
    },
    heard({ asking, sentAt, instance }, response) {
      const { spec, callee } = asking;
      asking.servedBy = response.served_by ?? instance;
      // Of a later delivery nobody knows which one is answered: an earlier one's reply may have been held back.
      const sent = asking.deliveries === 1 ? sentAt : undefined;
      asking.clockTold = learnClock(offsets, asking.servedBy, sent, response, clock.now());
      if (spec.key === undefined || !isOwners(response, instance)) return;
      const owned = owners.get(callee.name) ?? createLruMap(OWNERS);
      if (owned.size === 0) owners.set(callee.name, owned);
      if (owned.get(spec.key) !== response.served_by) owned.set(spec.key, response.served_by);
    },
  };
}

/**
 * Whether who answered owns the call's key: it did the work or refused it, or it was passed on to and knew the time
 * to be wrong, which is looked at before the owner's own 408s.
 */
function isOwners({ error, served_by }: Response, asked: string | undefined): boolean {
  if (error === undefined || error?.code !== 408) return true;
  return error.data?.reason === 'stale_or_skewed' && asked !== undefined && served_by !== asked;
}

/** Whether the answer told us the time of who gave it. Who refuses for the time has proved what we knew wrong. */
function learnClock(
  offsets: ClockOffsets,
  instance: string | undefined,
  sent: number | undefined,
  { error, timing }: Response,
  heard: number,
): boolean {
  if (instance === undefined) return false;
  const skewed = error?.data?.reason === 'stale_or_skewed' ? error.data.now : undefined;
  if (skewed !== undefined) offsets.forget(instance);
  const received = timing?.received_at_unix_ms ?? skewed;
  const replied = timing?.replied_at_unix_ms ?? skewed;
  if (sent === undefined || typeof received !== 'number' || typeof replied !== 'number') return false;
  return offsets.offer(instance, { sent, received, replied, heard: Math.round(heard) });
}

function tooOld(asked: ComponentId, candidates: readonly Candidate[]): HermesError {
  const there = new Set(candidates.map(({ major, minor }) => `${asked.name}_v${major}.${minor}`));
  return new HermesError('bad_version', `${asked.name}_v${asked.major}.${asked.minor} is not served by anybody`, {
    started: false,
    supported: [...there],
  });
}

/** What was never sent was not begun. */
function cancelled(signal: AbortSignal, deliveries: number): HermesError {
  const { reason, message, data } = toHermesError(signal.reason, 'cancelled');
  return new HermesError(reason, message, deliveries === 0 ? { ...data, started: false } : data, {
    cause: signal.reason,
  });
}

/** A response that carries an error becomes that error. */
function refusal(response: Response): HermesError {
  const error = HermesError.fromWire(response.error as WireError);
  return new HermesError(error.reason, error.message, { ...error.data, served_by: response.served_by });
}

/** An attempt's own time-out before the call's deadline is worth another delivery: nothing is executed twice. */
export function unanswered(spec: CallSpec, now: number): HermesError {
  return new HermesError('deadline', `${spec.callee} did not answer ${spec.method} in time`, {
    outcome: 'unknown',
    ...(spec.deadlineAt - now > 0 ? { no_answer: true } : {}),
  });
}
