import { type Agent, type AgentDefinition, type AgentPolicy, startAgent } from '../../agents/runtime/index.js';
import { createCaller } from '../../mcp/index.js';
import { openSim } from '../../mcp/transport/index.js';
import type { DeviceAccess } from '../../shared/device.js';
import { HermesError } from '../../shared/errors.js';
import { createIds } from '../../shared/ids.js';
import { softwareKeyProvider } from '../../shared/keys/index.js';
import { seededRandom } from '../../shared/random.js';
import type { Site } from '../../shared/site.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { testSigning } from './test-signing.js';
import { recordingLogger, silentMetrics } from './transport-harness.js';

export interface AgentBenchOptions {
  readonly definition: AgentDefinition;
  readonly site: Site;
  /** Made with the bench's clock. */
  readonly devices?: (clock: VirtualClock) => DeviceAccess;
  readonly grants?: readonly string[];
  /** Wall time at the start, Unix milliseconds. */
  readonly at?: number;
}

const nothing = (): DeviceAccess => ({
  read: () => Promise.reject(new HermesError('tool_failed', 'no devices here')),
  write: () => Promise.reject(new HermesError('tool_failed', 'no devices here')),
  fence: async () => undefined,
  release: async () => undefined,
});

export interface CallHow {
  readonly requestId?: string;
  readonly goalId?: string;
  readonly timeoutMs?: number;
}

/** One real agent of the product on the sim transport, a caller beside it; it can die and come back. */
export async function agentBench({ definition, site, devices = nothing, grants = ['*'], at }: AgentBenchOptions) {
  const clock = new VirtualClock(at);
  const access = devices(clock);
  const random = seededRandom(1);
  const ids = createIds(clock, random);
  const logger = recordingLogger([]);
  const metrics = silentMetrics();
  const sim = openSim({ clock, random: random.stream('sim'), logger, lostAtCrash: 0 });
  const policy: AgentPolicy = {
    tenant: 'default',
    site,
    roles: { admin: { read: ['*'], write: ['*'] } },
    grants,
    allow: { '*': ['*'] },
    maySpeakForPeople: new Set(['tester']),
    links: [],
  };
  let crash: () => void = () => undefined;
  const start = (): Promise<Agent> => {
    const connection = sim.connect(definition.name);
    crash = () => connection.crash();
    const keys = softwareKeyProvider('sim', new Uint8Array(32).fill(7), random.stream('keys'));
    const doors = {
      transport: connection.transport,
      clock,
      random,
      ids,
      keys,
      signing: testSigning(),
      logger,
      metrics,
      devices: access,
    };
    return clock.run(startAgent(definition, doors, policy));
  };
  let agent = await start();
  const { bus, liveness } = sim.connect('tester').transport;
  const caller = createCaller(
    { bus, liveness, clock, random, ids, logger, metrics },
    { component: 'tester_v1.0', tenant: 'default' },
  );
  const callee = `${definition.name}_v${definition.version}`;

  /** The answer, not waited for in virtual time: for calls that run at once. */
  const begin = async (method: string, params: Record<string, unknown>, how: CallHow = {}): Promise<unknown> => {
    const { response } = await caller.call({
      callee,
      method,
      params,
      deadlineAt: clock.now() + (how.timeoutMs ?? 10_000),
      principal: { id: 'tester', roles: ['admin'] },
      goalId: how.goalId ?? 'g-aaaaaaaaaaaaaaaa',
      ...(how.requestId ? { requestId: how.requestId } : {}),
      retry: { max_attempts: 1 },
    });
    return response.result;
  };
  const call = (method: string, params: Record<string, unknown>, how: CallHow = {}): Promise<unknown> =>
    clock.run(begin(method, params, how));
  return {
    clock,
    begin,
    call,
    /** The error of a call that has to fail. */
    async fails(method: string, params: Record<string, unknown>, how: CallHow = {}): Promise<HermesError> {
      const thrown: unknown = await call(method, params, how).then(
        (result) => `answered ${JSON.stringify(result)}`,
        (error: unknown) => error,
      );
      if (thrown instanceof HermesError) return thrown;
      throw new Error(`expected a HermesError, got ${String(thrown)}`);
    },
    agent: () => agent,
    async restart(afterMs = 6_000) {
      crash();
      await clock.advance(afterMs);
      agent = await start();
    },
  };
}

export type AgentBench = Awaited<ReturnType<typeof agentBench>>;
