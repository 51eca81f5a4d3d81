import { startAgent } from '../../agents/runtime/index.js';
import { type Caller, createCaller } from '../../mcp/index.js';
import { initNatsStreams, openTransport, type Transport } from '../../mcp/transport/index.js';
import { softwareKeyProvider } from '../../shared/keys/index.js';
import { doors, folder } from './doors.js';
import { AGENT, definition, deviceId, devicesOf, type Plant, policyOf } from './plant.js';
import type { Client, Stack } from './stack.js';

const COORDINATOR = 'production_coordinator';
const PRINCIPAL = { id: 'local_admin', roles: ['admin'] };
/** Writes of one scope stand in line; so many are under way beside each other. */
const WRITE_LINKS = 64;

const connect = (url: string, tenant: string, component: string): Promise<Transport> =>
  openTransport('nats', { ...doors, url, tenant, component, dataDir: folder() });

async function openWorker(url: string, plant: Plant): Promise<void> {
  const { tenant } = plant;
  await initNatsStreams({ ...doors, url, tenant });
  await serve(await connect(url, tenant, AGENT), plant);
}

async function serve(transport: Transport, plant: Plant): Promise<void> {
  const keys = softwareKeyProvider('bench', new Uint8Array(32).fill(7), doors.random);
  await startAgent(definition, { ...doors, transport, keys, devices: devicesOf(plant, doors.clock) }, policyOf(plant));
}

/** The client asks about devices that nobody asks about at the moment: each has one call at a time. */
async function clientOf({ bus, liveness }: Transport, plant: Plant, workers: number, method: string): Promise<Client> {
  const caller = createCaller({ ...doors, bus, liveness }, { component: `${COORDINATOR}_v1.0`, tenant: plant.tenant });
  await untilSpread(caller, () => liveness.members(AGENT).map(({ instance }) => instance), plant.links / workers);
  const free = Array.from({ length: plant.links }, (_, index) => deviceId(index));
  let value = 0;
  return {
    async call() {
      const device_id = free.pop() as string;
      const params = method === 'write_value' ? { device_id, value: ++value % 65_536 } : { device_id };
      const deadlineAt = doors.clock.now() + 10_000;
      const about = { callee: `${AGENT}_v1.0`, method, params, principal: PRINCIPAL, key: `device_id=${device_id}` };
      try {
        await caller.call({ ...about, deadlineAt });
      } finally {
        free.unshift(device_id);
      }
    },
  };
}

/** Until each worker owns its share of the links. */
async function untilSpread(caller: Caller, instances: () => readonly string[], share: number): Promise<void> {
  const owned = async (instance: string): Promise<number> => {
    const deadlineAt = doors.clock.now() + 2_000;
    const about = { callee: `${AGENT}_v1.0`, method: 'health', params: {}, principal: PRINCIPAL };
    const { response } = await caller.call({ ...about, instance, deadlineAt });
    return (response.result as { owns: readonly string[] }).owns.length;
  };
  for (const until = doors.clock.monotonic() + 120_000; doors.clock.monotonic() < until; await doors.clock.sleep(250)) {
    const counts = await Promise.all(instances().map((instance) => owned(instance).catch(() => 0)));
    if (counts.length > 0 && counts.every((count) => count === share)) return;
  }
  throw new Error('the links are not spread evenly');
}

const WRITES: Plant = { tenant: 'default', links: WRITE_LINKS, deviceMs: 0 };

/** A recorded write: the claim and the end of each are appended by compare-and-swap before the answer. */
export const recordedWrite: Stack = {
  openWorker: (url) => openWorker(url, WRITES),
  openClient: async (url) => clientOf(await connect(url, WRITES.tenant, COORDINATOR), WRITES, 1, 'write_value'),
};

/** The same in one process: its log is synced to the disk before an append is answered. */
export const recordedWriteEmbedded: Stack = {
  openWorker: () => Promise.resolve(),
  async openClient() {
    const transport = await openTransport('embedded', { ...doors, dataDir: folder() });
    await serve(transport, WRITES);
    return clientOf(transport, WRITES, 1, 'write_value');
  },
};

/** Device time of 20 ms, and twice as many links for each worker as it serves calls at once (16). */
export const LINKS_PER_WORKER = 32;

export function workersStack(workers: number): Stack {
  const plant = { tenant: `workers-${workers}`, links: LINKS_PER_WORKER * workers, deviceMs: 20 };
  return {
    openWorker: (url) => openWorker(url, plant),
    openClient: async (url) => clientOf(await connect(url, plant.tenant, COORDINATOR), plant, workers, 'read_value'),
  };
}
