import type { Cancel, Clock } from '../shared/clock.js';
import { toHermesError } from '../shared/errors.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Metrics } from '../shared/telemetry/metrics.js';
import { createLruMap } from './lru-map.js';
import { encodeMessage } from './protocol/codec.js';
import { sourceToken, subjects } from './protocol/subjects.js';
import { readHeard } from './read-heard.js';
import type { Bus, Subscription } from './transport/index.js';

const BEAT_MS = 1_000;
/** Instances whose load is remembered. */
const KNOWN = 10_000;
/** Who has work says so every second. After three beats of silence it has none: its last word, the zero, was lost. */
const SILENT_MS = 3 * BEAT_MS;

/** Tells others how much waits and runs at one instance. */
export interface BeatSender {
  /** A call has come in: from now on the load is told every second, until it has been zero once. */
  touch(): void;
  stop(): void;
}

/** An instance without work is silent: who was never heard of, or said zero last, has nothing to do. */
export function sendBeats(
  deps: { bus: Bus; clock: Pick<Clock, 'timer'>; logger: Logger },
  options: { tenant: string; component: string; instance: string; load: () => number },
): BeatSender {
  const subject = subjects.beat(options.tenant, options.component);
  let next: Cancel | undefined;
  let stopped = false;
  let told = 0;
  const arm = (): void => {
    next = deps.clock.timer(BEAT_MS, beat);
  };
  const beat = (): void => {
    next = undefined;
    const load = options.load();
    try {
      if (load !== 0 || told !== 0) deps.bus.publish(subject, encodeMessage({ instance: options.instance, load }));
    } catch (thrown) {
      deps.logger.info({ detail: toHermesError(thrown).message }, 'a beat could not be sent');
    }
    told = load;
    if (load !== 0) arm();
  };
  return {
    touch() {
      if (next === undefined && !stopped) arm();
    },
    stop() {
      stopped = true;
      next?.();
    },
  };
}

/** What instances say of their load; a component's beats are listened to from the first question about it on. */
export interface BeatListener {
  /** Calls that wait or run at an instance, by its last word; 0 when it has been silent for three beats. */
  load(component: string, instance: string): number;
  stop(): void;
}

export function listenToBeats(
  deps: { bus: Bus; clock: Pick<Clock, 'monotonic'>; logger: Logger; metrics: Metrics },
  options: { tenant: string },
): BeatListener {
  const loads = createLruMap<{ readonly load: number; readonly at: number }>(KNOWN);
  const heard = new Map<string, Subscription>();
  const listen = (component: string): Subscription =>
    deps.bus.subscribe(subjects.beat(options.tenant, component), (message) => {
      const beat = readHeard(deps, component, message, (raw) => raw);
      if (beat === undefined) return;
      const { instance, load } = beat;
      const own = sourceToken(message.subject) === component && typeof instance === 'string';
      const said = own && typeof load === 'number' && load >= 0;
      if (said) loads.set(`${component} ${instance}`, { load, at: deps.clock.monotonic() });
      else deps.logger.warn({ subject: message.subject }, 'a beat that says nothing');
    });
  return {
    load(component, instance) {
      if (!heard.has(component)) heard.set(component, listen(component));
      const last = loads.get(`${component} ${instance}`);
      return last !== undefined && deps.clock.monotonic() - last.at <= SILENT_MS ? last.load : 0;
    },
    stop() {
      for (const subscription of heard.values()) subscription.unsubscribe();
      heard.clear();
    },
  };
}
