import type { Caller, CallSpec, ServedCall } from '../../mcp/index.js';
import type { Bus } from '../../mcp/transport/index.js';
import { seededRandom } from '../../shared/random.js';
import { mcpBench } from './mcp-bench.js';
import { naiveRetries } from './naive-retries.js';

export interface StormOptions {
  readonly callers: number;
  /** Replies are dropped for so long. */
  readonly stormMs: number;
  /** Share of replies that are lost, 0 to 1. */
  readonly dropped: number;
  /** Each component between retries by itself instead of one layer at the caller. */
  readonly naive?: boolean;
  readonly seed?: number;
}

export interface StormResult {
  readonly calls: number;
  readonly succeeded: number;
  /** Requests that reached a worker, repeats included. */
  readonly requests: number;
  /** Calls ÷ (1 − dropped): what a loss of replies costs whoever asks again until it hears. */
  readonly needed: number;
}

const POLICY = { max_attempts: 8, initial_backoff_ms: 200, max_backoff_ms: 2_000, backoff_factor: 2 };

/** Callers that call one after the other through two components while replies get lost on the way. Virtual time. */
export async function replyStorm(options: StormOptions): Promise<StormResult> {
  const made = mcpBench(options.seed ?? 1);
  const chance = seededRandom(options.seed ?? 1, 'storm');
  const from = made.clock.now();
  const storming = (): boolean => made.clock.now() - from < options.stormMs;
  const lossy = (bus: Bus): Bus => ({
    ...bus,
    publish(subject, payload, how) {
      const isReply = subject.split('.')[2] === 'reply';
      if (isReply && storming() && chance.float() < options.dropped) return;
      bus.publish(subject, payload, how);
    },
  });
  let requests = 0;
  const served = new Set<string>();
  const work = async ({ request }: ServedCall) => {
    requests++;
    served.add(request.request_id);
    return 'done';
  };
  for (const name of ['a', 'b']) await made.serveAs('worker_v1.0', `worker-${name}`, work, { wrap: lossy });

  let calls = 0;
  let succeeded = 0;
  const one = async (caller: Pick<Caller, 'call'>): Promise<void> => {
    while (storming()) {
      calls++;
      const spec: CallSpec = {
        callee: 'worker_v1.0',
        method: 'work',
        params: {},
        deadlineAt: made.clock.now() + 20_000,
        timeoutMs: 1_000,
        retry: POLICY,
      };
      await caller.call(spec).then(
        () => succeeded++,
        () => undefined,
      );
      await made.clock.sleep(500);
    }
  };
  const callers = Array.from({ length: options.callers }, (_, n) => {
    const caller = made.caller(`caller${n}_v1.0`);
    return one(options.naive ? naiveRetries(naiveLayer(caller), 4) : caller);
  });
  await made.clock.run(Promise.all(callers), options.stormMs + 120_000);
  return { calls, succeeded, requests, needed: calls / (1 - options.dropped) };
}

/** The component between: it retries too. */
const naiveLayer = (caller: Caller): Caller => ({ ...naiveRetries(caller, 4), pending: 0, close: () => undefined });
