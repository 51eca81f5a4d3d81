import { seededRandom } from '../../shared/random.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { createWorld, type SimDeviceSpec, type World } from '../../simulators/index.js';
import { simulatedDevices } from '../../topology/index.js';
import { demoTopology } from './demo-site.js';

/** A Monday in July, 10:00 at the demo site. */
export const BUILDING_START = Date.UTC(2026, 6, 6, 2);

/** What the demo site simulates. */
export const BUILDING_DEVICES: readonly SimDeviceSpec[] = simulatedDevices(demoTopology());

/** The demo site's devices on virtual time, and short ways to ask and to tell them. */
export interface Building {
  readonly clock: VirtualClock;
  readonly world: World;
  get(id: string, point: string): number;
  state(id: string): string;
  put(id: string, point: string, value: number | boolean | string): void;
  /** Answers the reply to one Modbus write: FC5 to a coil, FC16 to registers. */
  write(id: string, table: 'coil' | 'holding', address: number, ...values: number[]): unknown;
  fault(device: string, kind: string, params?: Record<string, number | string>): string;
  minutes(count: number): Promise<void>;
}

export function createBuilding(devices: readonly SimDeviceSpec[] = BUILDING_DEVICES): Building {
  const clock = new VirtualClock(BUILDING_START);
  const world = createWorld({ clock, random: seededRandom(1), devices });
  return {
    clock,
    world,
    get: (id, point) => Number(world.device(id).points.find(({ name }) => name === point)?.value),
    state: (id) => world.device(id).state,
    put: (id, point, value) => world.put(id, point, value),
    write(id, table, address, ...values) {
      const { link, unit } = world.device(id);
      const fc = table === 'coil' ? 5 : 16;
      return world.receive(world.connect(link), unit, { fc, write: { table, address, values } }).reply;
    },
    fault: (device, kind, params = {}) => world.addFault({ device, kind, params }).fault_id,
    minutes: (count) => clock.advance(count * 60_000),
  };
}
