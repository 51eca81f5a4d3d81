import { z } from 'zod';
import { type Agent, type AgentDefinition, type AgentPolicy, scopes, startAgent } from '../../agents/runtime/index.js';
import { defineTool, type Tool, type ToolSpec } from '../../agents/runtime/tools/index.js';
import {
  type Caller,
  type CallSpec,
  createCaller,
  createEvents,
  type EffectClass,
  type Event,
} from '../../mcp/index.js';
import { openSim, type Transport } from '../../mcp/transport/index.js';
import type { DeviceAccess, LinkCallOptions, WriteReceipt } from '../../shared/device.js';
import { HermesError } from '../../shared/errors.js';
import { createIds, type Scope } from '../../shared/ids.js';
import { type KeyProvider, softwareKeyProvider } from '../../shared/keys/index.js';
import { confirmed, failed } from '../../shared/outcome.js';
import { seededRandom } from '../../shared/random.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { siteFixture } from './site-fixture.js';
import { testSigning } from './test-signing.js';
import { recordingLogger, silentMetrics } from './transport-harness.js';

/** How the next write to the toy device goes. */
export type WriteMode =
  | 'done'
  | 'refused'
  /** Done, and the answer is lost, once. */
  | 'no_answer'
  /** Acknowledged, and nothing happened. */
  | 'silent'
  /** Done after a while; hears no signal. */
  | 'deaf'
  /** Acknowledged after a while; ends at the signal before it is sent. */
  | 'slow';

export interface ToyDevice {
  mode: WriteMode;
  value: number;
  /** When each write reached the device, and what it wrote. */
  readonly writes: { readonly at: number; readonly value: number }[];
  readable: boolean;
  readonly slowMs: number;
}

/** A device of one register whose writes can go wrong in every way. */
export function toyDevice(clock: VirtualClock): { device: ToyDevice; access: DeviceAccess } {
  const device: ToyDevice = { mode: 'done', value: 20, writes: [], readable: true, slowMs: 2_000 };
  const receipt = (value: number): WriteReceipt => ({
    write: { link: 'line-3', unit: 7, function_code: 6, address: 0, values: [value] },
  });
  const reach = (value: number): void => {
    device.writes.push({ at: clock.now(), value });
    device.value = value;
  };
  const write = async (value: number, options: LinkCallOptions): Promise<WriteReceipt> => {
    const { mode } = device;
    if (mode === 'refused') throw new HermesError('tool_failed', 'the device is busy', receipt(value) as never);
    if (mode === 'slow') await clock.sleep(device.slowMs, options.signal);
    if (mode === 'silent') return receipt(value);
    await (mode === 'deaf' ? clock.sleep(device.slowMs) : clock.sleep(5, options.signal));
    reach(value);
    if (mode === 'no_answer') {
      device.mode = 'done';
      throw new HermesError('tool_failed', 'no answer came', { ...receipt(value), sent: true });
    }
    return receipt(value);
  };
  const access: DeviceAccess = {
    async read(_device, points, options) {
      await clock.sleep(2, options?.signal);
      if (!device.readable) throw new HermesError('tool_failed', 'cannot be read');
      const at = clock.now();
      return points.map((point) => ({
        point,
        value: device.value,
        quality: { status: 'good' as const },
        source_time_unix_ms: at,
      }));
    },
    write: (_device, _point, value, options) => write(Number(value), options),
    fence: async () => undefined,
    release: async () => undefined,
  };
  return { device, access };
}

const input = z.strictObject({ device_id: z.string(), value: z.number() });
const output = z.strictObject({ device_id: z.string(), value: z.number() });
type ToySpec = ToolSpec<typeof input, typeof output>;

/** A tool that writes one point, reads it back, and can put the old value back. */
export function toyTool(effect_class: EffectClass, more: Partial<ToySpec> = {}): Tool {
  return defineTool<typeof input, typeof output>({
    name: 'set_value',
    version: '1.0.0',
    description: 'sets the toy register',
    input,
    output,
    side_effects: ['modbus.write:PLC-*', 'modbus.read:PLC-*'],
    effect_class,
    risk: 'low',
    actor_key: 'device_id',
    timeout_ms: 5_000,
    scope: ({ device_id }) => scopes.device(device_id),
    preState: async (ctx, { device_id }) => {
      const read = await ctx.modbus.read(device_id, ['temperature_setpoint']);
      return { value: read.temperature_setpoint?.value };
    },
    execute: async (ctx, { device_id, value }) => {
      await ctx.modbus.write(device_id, 'temperature_setpoint', value);
      return { device_id, value };
    },
    verify: async (ctx, { device_id, value }) => {
      const read = await ctx.modbus.read(device_id, ['temperature_setpoint']);
      const seen = read.temperature_setpoint?.value;
      return seen === value
        ? { ...confirmed({ seen }), output: { device_id, value } }
        : failed({ seen, wanted: value });
    },
    rollback: {
      name: 'put_back',
      description: 'writes the old value',
      max_ms: 500,
      run: async (ctx, { input: { device_id }, preState }) =>
        ctx.modbus.write(device_id, 'temperature_setpoint', Number(preState.value)),
    },
    snapshot: ({ device_id }, { value }) => ({ data: { device_id, value } }),
    ...more,
  });
}

export interface CellBenchOptions {
  readonly tools: readonly Tool[];
  readonly grants?: readonly string[];
  readonly roles?: AgentPolicy['roles'];
  readonly retention?: AgentPolicy['retention'];
  readonly keys?: KeyProvider;
  readonly wrap?: (transport: Transport) => Transport;
  readonly seed?: number;
}

/** One agent with toy tools on the sim transport; a caller beside it; it can die and come back. */
export async function cellBench(options: CellBenchOptions) {
  const clock = new VirtualClock();
  const random = seededRandom(options.seed ?? 1);
  const ids = createIds(clock, random);
  const complaints: string[] = [];
  const logger = recordingLogger(complaints);
  const metrics = silentMetrics();
  const sim = openSim({ clock, random: random.stream('sim'), logger, lostAtCrash: 0 });
  const { device, access } = toyDevice(clock);
  const definition: AgentDefinition = {
    name: 'worker',
    version: '1.0',
    description: { zh: '工', en: 'worker' },
    tools: options.tools,
  };
  const policy: AgentPolicy = {
    tenant: 'default',
    site: siteFixture,
    roles: options.roles ?? { admin: { read: ['*'], write: ['*'] } },
    ...(options.retention ? { retention: options.retention } : {}),
    grants: options.grants ?? ['modbus.write:PLC-*', 'modbus.read:PLC-*'],
    allow: { '*': ['*'] },
    maySpeakForPeople: new Set(['tester']),
    links: [],
  };
  let crashNow: () => void = () => undefined;
  /** What is left of an earlier life reaches no device any more. */
  const guarded = (): DeviceAccess => {
    let alive = true;
    const dead = <T>(): Promise<T> => new Promise<T>(() => undefined);
    const before = crashNow;
    crashNow = () => {
      alive = false;
      before();
    };
    return {
      read: (...args) => (alive ? access.read(...args) : dead()),
      write: (...args) => (alive ? access.write(...args) : dead()),
      fence: (...args) => (alive ? access.fence(...args) : dead()),
      release: (...args) => (alive ? access.release(...args) : dead()),
    };
  };
  const start = (): Promise<Agent> => {
    const connection = sim.connect('worker');
    crashNow = () => connection.crash();
    const transport = options.wrap ? options.wrap(connection.transport) : connection.transport;
    const keys = options.keys ?? softwareKeyProvider('sim', new Uint8Array(32).fill(7), random.stream('keys'));
    const doors = { transport, clock, random, ids, keys, signing: testSigning(), logger, metrics, devices: guarded() };
    return clock.run(startAgent(definition, doors, policy));
  };
  let agent = await start();
  const callerOf = (component: string): Caller => {
    const { bus, liveness } = sim.connect(component).transport;
    return createCaller({ bus, liveness, clock, random, ids, logger, metrics }, { component, tenant: 'default' });
  };
  const caller = callerOf('tester_v1.0');
  const { bus } = sim.connect('listener').transport;
  const events: Event[] = [];
  const heard = createEvents({ bus, clock, ids, logger, metrics }, { source: 'tester', tenant: 'default' });
  for (const topic of ['needs_operator', 'memory.snapshot_written', 'memory.evicted'] as const) {
    heard.on(topic, (event) => void events.push(event));
  }
  const admin = { id: 'local_admin', roles: ['admin'] };
  const spec = (more: Partial<CallSpec> = {}): CallSpec => ({
    callee: 'worker_v1.0',
    method: 'set_value',
    params: { device_id: 'PLC-007', value: 42 },
    deadlineAt: clock.now() + 5_000,
    principal: admin,
    goalId: 'g-aaaaaaaaaaaaaaaa',
    ...more,
  });
  const call = (more: Partial<CallSpec> = {}) => clock.run(caller.call(spec(more)));
  /** The error of a call that has to fail. */
  const fails = async (more: Partial<CallSpec> = {}): Promise<HermesError> => {
    const thrown: unknown = await call({ retry: { max_attempts: 1 }, ...more }).then(
      ({ response }) => `answered ${JSON.stringify(response.result)}`,
      (error: unknown) => error,
    );
    if (thrown instanceof HermesError) return thrown;
    throw new Error(`expected a HermesError, got ${String(thrown)}`);
  };
  const entries = async (scope: Scope = scopes.device('PLC-007')) => {
    await clock.run(agent.cell.view.catchUp());
    return clock.run(agent.cell.view.entries(scope));
  };
  return {
    clock,
    ids,
    sim,
    device,
    caller,
    callerOf,
    spec,
    call,
    fails,
    entries,
    events,
    complaints,
    admin,
    agent: () => agent,
    /** Another instance of the same agent, beside the first. */
    sibling: () => start(),
    crash: () => crashNow(),
    async restart(afterMs = 6_000) {
      await clock.advance(afterMs);
      agent = await start();
    },
  };
}

export type CellBench = Awaited<ReturnType<typeof cellBench>>;
