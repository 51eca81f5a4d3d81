import {
  createCaller,
  createDeadLetters,
  createEvents,
  type Endpoint,
  openEndpoint,
  type ServedCall,
} from '../../mcp/index.js';
import { type BusMessage, openSim } from '../../mcp/transport/index.js';
import { raceSignal } from '../../shared/deadline.js';
import { HermesError } from '../../shared/errors.js';
import { createIds } from '../../shared/ids.js';
import { seededRandom } from '../../shared/random.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { VirtualClock } from '../../shared/virtual-clock.js';

/** What happened since it was last asked. */
export interface Seen {
  /** Answers by their reply subject. */
  readonly replies: Map<string, Uint8Array[]>;
  /** Reasons of messages that were refused and counted. */
  readonly rejected: string[];
  /** Lines of level error. */
  readonly errors: string[];
  served: number;
}

const freshSeen = (): Seen => ({ replies: new Map(), rejected: [], errors: [], served: 0 });

/**
 * Two real endpoints of `worker_v1.0`, one real caller and a listener of events on the simulated bus, and `mute_v1.0`,
 * a component that is present and answers nothing: what it is asked waits in `asked` for the reply of a stranger.
 */
export async function fuzzTarget(seed: number) {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const ids = createIds(clock, random);
  let seen = freshSeen();
  const quiet = (): void => undefined;
  const logger: Logger = {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error: (fields, message) => {
      const { err } = fields as { err?: unknown };
      seen.errors.push(`${message}: ${err instanceof Error ? (err.stack ?? err.message).slice(0, 600) : String(err)}`);
    },
    child: () => logger,
  };
  const metrics: Metrics = {
    count(name, labels) {
      if (name === 'mcpRejected') seen.rejected.push(String(labels?.reason));
    },
    measure: quiet,
  };
  const sim = openSim({ clock, random: random.stream('sim'), logger });
  const deadLetters = createDeadLetters();

  const serve = async ({ request, deadline }: ServedCall): Promise<unknown> => {
    seen.served++;
    const { method, params } = request;
    if (method === 'fail') throw new HermesError('tool_failed', 'as asked', { echo: params.list });
    if (method === 'slow') await raceSignal(clock.sleep(Math.min(100, Number(params.ms) || 0)), deadline.signal);
    return params;
  };
  const endpoints: Endpoint[] = [];
  for (const instance of ['worker-00000001', 'worker-00000002']) {
    const { bus, liveness } = sim.connect(instance).transport;
    endpoints.push(
      openEndpoint(
        { bus, clock, logger, metrics, deadLetters },
        {
          component: 'worker_v1.0',
          instance,
          tenant: 'default',
          allow: { work: ['tester', 'honest'], slow: ['*'], fail: ['tester'], health: ['*'], clock: ['*'] },
          maySpeakForPeople: new Set(['tester']),
          actorKey: ({ params }) => (typeof params.key === 'string' ? params.key : undefined),
          ownerOf: ({ params }) => (params.key === 'elsewhere' ? 'worker-00000002' : undefined),
          serve,
        },
      ),
    );
    await clock.run(liveness.join({ component: 'worker', instance, version: '1.0', since: 0, state: 'ready' }));
  }

  const own = sim.connect('honest').transport;
  const deps = { bus: own.bus, liveness: own.liveness, clock, random, ids, logger, metrics };
  const caller = createCaller(deps, { component: 'honest_v1.0', tenant: 'default' });
  const events = createEvents(deps, { source: 'honest', tenant: 'default' });
  events.on('alarm.raised', quiet);

  const hand = sim.connect('hand').transport;
  const asked: BusMessage[] = [];
  const mute = { component: 'mute', instance: 'mute-00000001', version: '1.0', since: 0, state: 'ready' as const };
  await clock.run(hand.liveness.join(mute));
  hand.bus.subscribe('hermes.default.direct.mute.*.*', (message) => void asked.push(message));
  hand.bus.subscribe('hermes.default.reply.*.*', ({ subject, payload }) => {
    if (!/^f\d+$/.test(subject.slice(subject.lastIndexOf('.') + 1))) return;
    seen.replies.set(subject, [...(seen.replies.get(subject) ?? []), payload]);
  });

  return {
    clock,
    caller,
    endpoints,
    hand,
    asked,
    /** What was seen since the last time. */
    take(): Seen {
      const taken = seen;
      seen = freshSeen();
      return taken;
    },
    /** What has been seen so far. */
    look: (): Seen => seen,
    /** A call as everybody makes them; true when its answer is right. */
    async honest(n: number): Promise<true | string> {
      const params = { key: n % 2 === 0 ? 'a' : 'elsewhere', n };
      const spec = { callee: 'worker_v1.0', method: 'work', params, deadlineAt: clock.now() + 5_000 };
      try {
        const { response } = await clock.run(caller.call(spec));
        const result = response.result as { n?: unknown } | undefined;
        return result?.n === n ? true : `answered ${JSON.stringify(result)}`;
      } catch (thrown) {
        return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
      }
    },
  };
}

export type FuzzTarget = Awaited<ReturnType<typeof fuzzTarget>>;
