import { createDeviceAccess } from '../../agents/drivers/index.js';
import { type Agent, startAgent } from '../../agents/runtime/index.js';
import { type CallResult, type CallSpec, createCaller } from '../../mcp/index.js';
import { openSim } from '../../mcp/transport/index.js';
import { createIds } from '../../shared/ids.js';
import { softwareKeyProvider } from '../../shared/keys/index.js';
import { seededRandom } from '../../shared/random.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { createWorld, openInProcessLink } from '../../simulators/index.js';
import { loadAgents, siteOf } from '../../topology/index.js';
import { policyOf } from '../../topology/policies.js';
import { simulatedDevices } from '../../topology/simulated.js';
import { linesTopology } from './demo-site.js';
import { testSigning } from './test-signing.js';
import { recordingLogger, silentMetrics } from './transport-harness.js';

export const PLC = 'plc_controller';

/** Several instances of the PLC agent on one simulated log and one simulated plant, and a caller beside them. */
export async function workersBench(options: { seed?: number } = {}) {
  const clock = new VirtualClock();
  const random = seededRandom(options.seed ?? 1);
  const complaints: string[] = [];
  const logger = recordingLogger(complaints);
  const metrics = silentMetrics();
  const topology = linesTopology();
  const site = siteOf(topology);
  const world = createWorld({ clock, random: random.stream('world'), devices: simulatedDevices(topology) });
  const sim = openSim({ clock, random: random.stream('transport'), logger });
  const define = await loadAgents(topology);
  const keys = softwareKeyProvider('sim', new Uint8Array(32).fill(7), random.stream('keys'));
  const policy = { ...policyOf(topology, site, PLC), allow: { '*': ['*'] } };
  const started: { agent: Agent; crash(): void }[] = [];
  const start = async (): Promise<{ agent: Agent; crash(): void }> => {
    const connection = sim.connect(PLC);
    const chance = random.stream(`worker-${started.length}`);
    const devices = createDeviceAccess({
      openLink: (link) => openInProcessLink({ clock, world }, { link }),
      now: () => clock.now(),
    });
    const ids = createIds(clock, chance);
    const doors = {
      transport: connection.transport,
      clock,
      random: chance,
      ids,
      keys,
      signing: testSigning(),
      logger,
      metrics,
      devices,
    };
    const agent = await clock.run(startAgent(define(PLC), doors, policy));
    const worker = { agent, crash: () => connection.crash() };
    started.push(worker);
    return worker;
  };
  const callerNamed = (name: string) => {
    const { bus, liveness } = sim.connect(name).transport;
    const ids = createIds(clock, random.stream(name));
    return createCaller(
      { bus, liveness, clock, random: random.stream(`caller ${name}`), ids, logger, metrics },
      { component: `${name}_v1.0`, tenant: topology.tenant },
    );
  };
  const tester = callerNamed('tester');
  const call = (method: string, params: CallSpec['params'], more: Partial<CallSpec> = {}): Promise<CallResult> => {
    const key = typeof params.device_id === 'string' ? { key: params.device_id } : {};
    const deadlineAt = clock.now() + 30_000;
    return tester.call({ callee: `${PLC}_v1.0`, method, params, deadlineAt, ...key, ...more });
  };
  return { clock, world, site, start, call, callerNamed, complaints, workers: started };
}
