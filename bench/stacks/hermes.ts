import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import { z } from 'zod';
import { type Caller, createCaller, openEndpoint, parseOrRefuse } from '../../mcp/index.js';
import { openTransport, type Transport } from '../../mcp/transport/index.js';
import { doors, folder } from './doors.js';
import { ANSWER, type Client, type Question, type Stack } from './stack.js';

const { clock } = doors;
const TENANT = 'default';
const WORKER = 'plc_controller_v1.2';
const CLIENT = 'production_coordinator_v1.0';
/** One call in ten is traced. */
const TRACES = 0.1;

/** The real SDK with everything but the network: spans are made, batched and dropped. */
function traceQuietly(): void {
  const exporter = {
    export: (_spans: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: () => Promise.resolve(),
  };
  const provider = new NodeTracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(TRACES) }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register({ contextManager: null });
}

const questionSchema = z.strictObject({
  device_id: z.string(),
  first: z.number(),
  count: z.number(),
  unit: z.number(),
  note: z.string(),
});

async function serve({ bus, liveness }: Transport): Promise<void> {
  const instance = doors.ids.instance('plc_controller');
  openEndpoint(
    { bus, ...doors },
    {
      component: WORKER,
      instance,
      tenant: TENANT,
      allow: { read_registers: ['hermes_cli', 'tester'], '*': ['production_coordinator'] },
      maySpeakForPeople: new Set(['production_coordinator']),
      actorKey: () => undefined,
      serve: async ({ request }) => {
        parseOrRefuse(questionSchema, request.params, request.method, '/params');
        return ANSWER;
      },
    },
  );
  await liveness.join({ component: 'plc_controller', instance, version: '1.2', since: clock.now(), state: 'ready' });
}

async function clientOf({ bus, liveness }: Transport, question: Question): Promise<Client> {
  while (!liveness.members('plc_controller').some(({ state }) => state === 'ready')) await clock.sleep(20);
  const options = { component: CLIENT, tenant: TENANT, traceRatio: TRACES };
  const caller: Caller = createCaller({ bus, liveness, ...doors }, options);
  const principal = { id: 'local_admin', roles: ['admin'] };
  return {
    async call() {
      await caller.call({
        callee: WORKER,
        method: 'read_registers',
        params: { ...question },
        principal,
        goalId: 'g-abcdefghijklmnop',
        stepId: 's1',
        deadlineAt: clock.now() + 10_000,
        timeoutMs: 5_000,
        reads: true,
        key: 'device_id=P-001',
      });
    },
  };
}

const overNats = (url: string, component: string): Promise<Transport> =>
  openTransport('nats', { ...doors, url, tenant: TENANT, component, dataDir: folder() });

/** An MCP call of a read: identity, allow-list, deadline, retry, breaker, budget, metrics, one trace in ten. */
export const hermes: Stack = {
  async openWorker(url) {
    traceQuietly();
    await serve(await overNats(url, 'plc_controller'));
  },
  async openClient(url, question) {
    traceQuietly();
    return clientOf(await overNats(url, 'production_coordinator'), question);
  },
};

/** The same in one process, on the embedded bus. */
export const hermesEmbedded: Stack = {
  openWorker: () => Promise.resolve(),
  async openClient(_url, question) {
    traceQuietly();
    const transport = await openTransport('embedded', { ...doors, dataDir: folder() });
    await serve(transport);
    return clientOf(transport, question);
  },
};
