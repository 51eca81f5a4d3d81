import type { Clock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { sendBeats } from '../beats.js';
import type { DeadLetters } from '../dead-letters.js';
import { formatComponentId, parseComponentId } from '../protocol/component-id.js';
import type { Request } from '../protocol/envelope.js';
import { sourceToken, subjects } from '../protocol/subjects.js';
import { readHeard } from '../read-heard.js';
import type { Bus, BusMessage } from '../transport/index.js';
import type { VersionUse } from '../version-use.js';
import type { AllowList } from './allow-list.js';
import { checkCycle } from './call-cycle.js';
import { createIntake } from './intake.js';
import { createMailbox } from './mailbox.js';
import { createOpenCalls, type StuckCall } from './open-calls.js';
import { createPassedOn } from './passed-on.js';
import { ReceivedCall, type Reception, type ServedCall } from './received-call.js';

export interface EndpointOptions {
  readonly component: string;
  readonly instance: string;
  readonly tenant: string;
  readonly allow: AllowList;
  readonly maySpeakForPeople: ReadonlySet<string>;
  /** Actor key of a call: calls with one key run one at a time. Undefined: no order. */
  readonly actorKey: (request: Request) => string | undefined;
  /**
   * The instance that owns what a call is about (a link, a turn). Another than this one: the message goes on to its
   * direct subject. Undefined: anybody may serve it. @throws HermesError when nobody can say yet.
   */
  readonly ownerOf?: (request: Request) => string | undefined;
  /** Tells of instances of this component that died: what went to them from here is taken up again. */
  readonly onInstanceLost?: (lost: (instance: string) => void) => { stop(): void };
  /**
   * A call of this key (undefined: of none) did not end and was given up; the key goes on with the next call. Whatever
   * holds it below may hold the next one too: the owner of the endpoint may want to start again.
   */
  readonly onStuck?: (key: string | undefined) => void;
  readonly serve: (call: ServedCall) => Promise<unknown>;
}

export interface EndpointDeps {
  readonly bus: Bus;
  /** Where messages go that are refused and have no lawful reply address. */
  readonly deadLetters?: DeadLetters;
  /** Counts who speaks which version of the protocol. */
  readonly versions?: VersionUse;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * The way in. An endpoint that throws answers 500 and lives on; every request that has a lawful reply address gets an
 * answer; deadlines are checked on arrival and at dequeue, and by the callee's own timer from then on.
 */
export interface Endpoint {
  /** Stops intake, lets what runs finish within `ms`, then aborts the rest and gives it as long again to answer. */
  stop(ms: number): Promise<void>;
  /** New calls are answered `not_ready`, not begun, so that their callers go on to the next; what runs goes on. */
  drain(): void;
  readonly load: { readonly waiting: number; readonly running: number };
}

export function openEndpoint(deps: EndpointDeps, options: EndpointOptions): Endpoint {
  const { bus, clock, logger, metrics } = deps;
  const self = parseComponentId(options.component);
  const mailbox = createMailbox({ size: LIMITS.mailboxSize, concurrency: LIMITS.mailboxConcurrency });
  const calls = createOpenCalls(clock, mailbox, (call) => reportStuck(deps, self.name, options.onStuck, call));
  const passedOn = createPassedOn(clock);
  const looping = (request: Request): void => checkCycle(request, options.actorKey(request), self.name, calls.all);
  const admission = { ...options, self, checkCycle: looping };
  const intake = createIntake({ bus, metrics, passedOn, versions: deps.versions }, admission);
  const load = (): number => mailbox.waiting + mailbox.running;
  const beats = sendBeats(deps, { ...options, component: self.name, load });
  let draining = false;

  const depth = { component: self.name };
  const refused = (error: HermesError, message: BusMessage, isAnswered: boolean): void => {
    const { subject, payload } = message;
    const { reason, message: detail } = error;
    if (!isAnswered) deps.deadLetters?.add({ subject, payload, reason, detail, at: Math.round(clock.now()) });
    metrics.count('mcpRejected', { component: self.name, reason });
    logger.warn({ subject, reason, detail }, 'message refused');
  };
  const takesCalls = (): void => {
    if (draining) throw new HermesError('not_ready', `${options.instance} is stopping`, { started: false });
    beats.touch();
    metrics.measure('mailboxDepth', mailbox.waiting, depth);
  };
  const { instance, actorKey, serve } = options;
  const named = { name: self.name, component: formatComponentId(self), instance };
  const doors = { bus, clock, logger, metrics };
  const reception: Reception = { ...doors, ...named, intake, calls, actorKey, serve, takesCalls, refused };
  const receive = (message: BusMessage, after?: string): void => {
    new ReceivedCall(reception, message, after).receive();
  };

  const lost = options.onInstanceLost?.((gone) => {
    for (const message of passedOn.takeFrom(gone)) receive(message, gone);
  });

  const cancelled = (message: BusMessage): void => {
    const event = readHeard(deps, self.name, message, (raw) => raw);
    const requestId = (event?.data as { request_id?: unknown } | undefined)?.request_id;
    const source = sourceToken(message.subject);
    if (typeof requestId !== 'string' || event?.source !== source) return;
    calls.cancel(requestId, source);
    passedOn.cancel(requestId, source);
  };

  const queue = subjects.queue(self.name, self.major);
  const subscriptions = [
    bus.subscribe(subjects.calls(options.tenant, self.name, self.major), (one) => receive(one), { queue }),
    bus.subscribe(subjects.directs(options.tenant, self.name, options.instance), (one) => receive(one)),
  ];
  const cancels = bus.subscribe(subjects.eventsOn(options.tenant, 'call.cancel'), cancelled);

  return {
    async stop(ms) {
      draining = true;
      for (const subscription of subscriptions) subscription.unsubscribe();
      beats.stop();
      lost?.stop();
      const answered = new AbortController();
      const patience = async (): Promise<void> => {
        await clock.sleep(ms, answered.signal);
        calls.endAll('the agent is stopping');
        await clock.sleep(ms, answered.signal);
        logger.warn({ component: self.name, running: mailbox.running }, 'stopped while calls still run');
      };
      await Promise.race([mailbox.idle(), patience().catch(() => undefined)]);
      answered.abort();
      calls.stop();
      cancels.unsubscribe();
      await bus.flush();
    },
    drain() {
      draining = true;
    },
    get load() {
      return { waiting: mailbox.waiting, running: mailbox.running };
    },
  };
}

/** The dump of a call that was given up: one line, one count, one word to the owner. */
function reportStuck(
  { logger, metrics }: EndpointDeps,
  component: string,
  tell: EndpointOptions['onStuck'],
  { request, key, ranMs, overdueMs, failed }: StuckCall,
): void {
  const { method, request_id } = request;
  const dump = { key, method, request_id, ran_ms: Math.round(ranMs), overdue_ms: Math.round(overdueMs), failed };
  logger.error({ component, ...dump }, 'a call did not end and was given up');
  metrics.count('mcpStuck', { component, method });
  try {
    tell?.(key);
  } catch (thrown) {
    logger.error({ err: thrown, component, key }, 'who was told of a stuck key failed');
  }
}
