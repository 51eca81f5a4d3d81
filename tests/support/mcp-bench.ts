import {
  type AllowList,
  type Caller,
  type CallerOptions,
  createCaller,
  createDeadLetters,
  decodeMessage,
  type Endpoint,
  encodeMessage,
  openEndpoint,
  type Response,
  type ServedCall,
} from '../../mcp/index.js';
import { type Bus, type Member, openSim, type Transport } from '../../mcp/transport/index.js';
import type { Clock } from '../../shared/clock.js';
import { createIds } from '../../shared/ids.js';
import { seededRandom } from '../../shared/random.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { recordingLogger } from './transport-harness.js';

export interface Counted {
  readonly name: string;
  readonly labels: Readonly<Record<string, unknown>>;
}

export interface ServeOptions {
  readonly allow?: AllowList;
  readonly actorKey?: (call: ServedCall['request']) => string | undefined;
  readonly ownerOf?: (call: ServedCall['request']) => string | undefined;
  readonly maySpeakForPeople?: readonly string[];
  readonly onStuck?: (key: string | undefined) => void;
  /** False: presence does not know it. */
  readonly present?: boolean;
  readonly state?: Member['state'];
  /** Another machine's clock. */
  readonly clock?: Clock;
  /** What stands between it and the bus. */
  readonly wrap?: (bus: Bus) => Bus;
}

export interface Instance {
  readonly endpoint: Endpoint;
  /** kill -9: no goodbye. */
  crash(): void;
  leave(): Promise<void>;
}

/** Endpoints and callers on the sim transport and a virtual clock; all that they count and complain is kept. */
export function mcpBench(seed = 1) {
  const clock = new VirtualClock();
  const random = seededRandom(seed);
  const ids = createIds(clock, random);
  const complaints: string[] = [];
  const logger = recordingLogger(complaints);
  const counted: Counted[] = [];
  const deadLetters = createDeadLetters();
  const metrics: Metrics = {
    count: (name, labels) => void counted.push({ name, labels: labels ?? {} }),
    measure: () => undefined,
  };
  const sim = openSim({ clock, random: random.stream('sim'), logger });
  const connect = (name: string): Transport => sim.connect(name).transport;

  /** One instance of a component, which can be told to die. */
  const serveAs = async (
    component: string,
    instance: string,
    work: (call: ServedCall) => Promise<unknown>,
    options: ServeOptions = {},
  ): Promise<Instance> => {
    const name = component.slice(0, component.lastIndexOf('_v'));
    const { transport, crash } = sim.connect(instance);
    const { liveness } = transport;
    const bus = options.wrap?.(transport.bus) ?? transport.bus;
    const endpoint = openEndpoint(
      { bus, clock: options.clock ?? clock, logger, metrics, deadLetters },
      {
        component,
        instance,
        tenant: 'default',
        allow: options.allow ?? { '*': ['*'] },
        maySpeakForPeople: new Set(options.maySpeakForPeople ?? []),
        actorKey: options.actorKey ?? (() => undefined),
        ...(options.ownerOf ? { ownerOf: options.ownerOf } : {}),
        ...(options.onStuck ? { onStuck: options.onStuck } : {}),
        onInstanceLost: (lost) =>
          liveness.watch(({ kind, member }) => {
            if (member.component === name && (kind === 'expired' || kind === 'left')) lost(member.instance);
          }),
        serve: work,
      },
    );
    const version = component.slice(component.lastIndexOf('_v') + 2);
    const member = { component: name, instance, version, since: 0, state: options.state ?? ('ready' as const) };
    const membership = options.present === false ? undefined : await clock.run(liveness.join(member));
    return { endpoint, crash, leave: () => clock.run(membership?.leave() ?? Promise.resolve()) };
  };

  const serve = async (
    component: string,
    work: (call: ServedCall) => Promise<unknown>,
    options: ServeOptions = {},
  ): Promise<Endpoint> => {
    const name = component.slice(0, component.lastIndexOf('_v'));
    return (await serveAs(component, `${name}-00000001`, work, options)).endpoint;
  };

  const caller = (
    component: string,
    wrap: (bus: Bus) => Bus = (bus) => bus,
    more: Partial<CallerOptions> = {},
  ): Caller => {
    const { bus: own, liveness } = connect(component);
    const bus = wrap(own);
    const options = { component, tenant: 'default', ...more };
    return createCaller({ bus, liveness, clock, random, ids, logger, metrics }, options);
  };

  /** A request by hand, as a foreign client writes it. */
  const request = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
    mcp_version: '1.2',
    request_id: ids.request('hand'),
    caller: 'tester_v1.0',
    callee: 'worker_v1.0',
    method: 'work',
    params: {},
    deadline_unix_ms: Math.round(clock.now()) + 5_000,
    sent_at_unix_ms: Math.round(clock.now()),
    ...more,
  });

  const hand = connect('hand');
  const heard: { subject: string; message: Record<string, unknown>; payload: Uint8Array; at: number }[] = [];
  hand.bus.subscribe('hermes.default.reply.>', (message) => {
    const { message: body } = decodeMessage(message.payload);
    heard.push({ subject: message.subject, message: body, payload: message.payload, at: clock.now() });
  });
  const send = (
    message: object | Uint8Array,
    { subject = 'hermes.default.call.worker.v1.tester', reply = 'hermes.default.reply.tester.nonce' } = {},
  ): void => {
    const payload = message instanceof Uint8Array ? message : encodeMessage(message);
    hand.bus.publish(subject, payload, reply === '' ? {} : { reply });
  };
  /** Sends by hand and waits for what comes back on any reply subject. */
  const ask = async (
    message: object | Uint8Array,
    how: { subject?: string; reply?: string; waitMs?: number } = {},
  ): Promise<(Response & { readonly subject: string }) | undefined> => {
    const before = heard.length;
    send(message, how);
    await clock.advance(how.waitMs ?? 20);
    const answer = heard[before];
    return answer && ({ ...answer.message, subject: answer.subject } as unknown as Response & { subject: string });
  };
  return {
    clock,
    ids,
    sim,
    connect,
    serve,
    serveAs,
    caller,
    request,
    send,
    ask,
    heard,
    hand,
    counted,
    complaints,
    deadLetters,
  };
}

export type McpBench = ReturnType<typeof mcpBench>;
