import { openVault, scopes } from '../../agents/runtime/index.js';
import { type OwnedKey, type Ownership, openOwnership } from '../../agents/runtime/ownership/index.js';
import { createRecord, openView } from '../../agents/runtime/record/index.js';
import { type Liveness, type Member, type MemberChange, openSim } from '../../mcp/transport/index.js';
import { openDeadline } from '../../shared/deadline.js';
import type { Device, DeviceAccess } from '../../shared/device.js';
import { createIds } from '../../shared/ids.js';
import { softwareKeyProvider } from '../../shared/keys/index.js';
import { seededRandom } from '../../shared/random.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { recordingLogger, silentMetrics } from './transport-harness.js';

/** Who is said to be alive: what a network may say wrongly. */
export function saidPresence() {
  const members = new Map<string, Member>();
  const watchers = new Set<(change: MemberChange) => void>();
  const tell = (kind: MemberChange['kind'], member: Member): void => {
    for (const watcher of [...watchers]) watcher({ kind, member });
  };
  const liveness: Liveness = {
    join: () => Promise.reject(new Error('the test says who is there')),
    members: (component) => [...members.values()].filter((member) => member.component === component),
    watch(changed) {
      watchers.add(changed);
      return { stop: () => watchers.delete(changed) };
    },
    close: async () => undefined,
  };
  return {
    liveness,
    come(instance: string) {
      const member: Member = { component: 'plc', instance, version: '1.0', since: 0, state: 'ready' };
      members.set(instance, member);
      tell('joined', member);
    },
    drain(instance: string) {
      const member = members.get(instance);
      if (!member) return;
      const draining: Member = { ...member, state: 'draining' };
      members.set(instance, draining);
      tell('changed', draining);
    },
    go(instance: string) {
      const member = members.get(instance);
      members.delete(instance);
      if (member) tell('expired', member);
    },
  };
}

const KEYS: readonly OwnedKey[] = ['line-a', 'line-b', 'line-c', 'line-d'].map((link) => ({
  id: link,
  scope: scopes.link(link),
  link,
  devices: [{ id: `D-${link}`, link, unit: 1, points: [] } as unknown as Device],
}));

export type Owner = Awaited<ReturnType<Awaited<ReturnType<typeof ownersBench>>['start']>>;

/** Instances of one component on one log; the test says who lives. */
export async function ownersBench() {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const complaints: string[] = [];
  const logger = recordingLogger(complaints);
  const sim = openSim({ clock, random: random.stream('sim'), logger });
  const presence = saidPresence();
  const keys = softwareKeyProvider('sim', new Uint8Array(32).fill(7), random.stream('keys'));
  const component = 'plc_v1.0';
  const start = async (instance: string) => {
    const { log, openStore } = sim.connect('plc').transport;
    const vault = await openVault({ log, keys, random }, 'default');
    const ids = createIds(clock, random.stream(instance));
    const names = { tenant: 'default', component, name: 'plc', instance };
    const record = createRecord({ log, vault, clock, ids, metrics: silentMetrics() }, names);
    const place = { tenant: 'default', component: 'plc' };
    const view = await openView({ log, store: await openStore('plc'), vault, clock, logger }, place);
    await view.catchUp();
    const fenced: string[] = [];
    const released: string[] = [];
    const inherited: string[] = [];
    const renewal = { agoMs: 0 };
    const devices = {
      fence: async ({ id }: Device) => void fenced.push(id),
      release: async (link: string) => void released.push(link),
    } as unknown as DeviceAccess;
    presence.come(instance);
    const ownership: Ownership = await openOwnership(
      { record, view, liveness: presence.liveness, clock, logger, devices, renewedAgoMs: () => renewal.agoMs },
      { component: 'plc', instance, keys: KEYS, inherited: (key) => void inherited.push(key.id) },
    );
    const use = <T>(key: OwnedKey, ms: number, work: () => Promise<T>): Promise<T> =>
      ownership.use(key, openDeadline(clock, clock.now() + ms), work);
    return { instance, ownership, record, view, fenced, released, inherited, renewal, use };
  };
  return { clock, presence, complaints, keys: KEYS, start: (instance: string) => clock.run(start(instance)) };
}
