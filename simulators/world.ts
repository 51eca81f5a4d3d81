import type { Clock } from '../shared/clock.js';
import type { Point } from '../shared/device.js';
import { HermesError, invalidParams } from '../shared/errors.js';
import type { Random } from '../shared/random.js';
import { buildDevice, isPlantSpec } from './devices/build-device.js';
import type { DeviceModel } from './devices/device-model.js';
import { within } from './devices/register-bank.js';
import { createFaultBoard } from './fault-board.js';
import type { Fault, FaultRequest } from './faults.js';
import { createFrameLog, type FrameFilter, type SimFrame } from './frame-log.js';
import type { ModbusRequest } from './modbus-pdu.js';
import { createPlant } from './plant/plant.js';
import { createRequestRules, type LinkConnection, type Verdict } from './request-rules.js';
import type { SimDevice, SimDeviceSpec } from './sim-device.js';

export interface SimPointView extends Point {
  /** Unit that has the point; `unit` is the unit of measure. */
  readonly modbus_unit: number;
  readonly value: number | boolean;
}

export interface SimDeviceView {
  readonly id: string;
  readonly kind: string;
  readonly link: string;
  readonly unit: number;
  readonly state: string;
  readonly faults: readonly Fault[];
  readonly points: readonly SimPointView[];
}

export interface World {
  readonly links: readonly string[];
  devices(): SimDeviceView[];
  /** @throws HermesError `not_found`. */
  device(id: string): SimDeviceView;
  /** Sets the cause behind a point: pressing the e-stop, warming the oven. @throws `not_found`, `invalid_params`. */
  put(id: string, point: string, value: unknown): void;
  addFault(request: FaultRequest): Fault;
  faults(): Fault[];
  removeFault(faultId: string): void;
  frames(filter?: FrameFilter): SimFrame[];
  logFrame(frame: SimFrame): void;
  connect(link: string): LinkConnection;
  /** What the link does with one request that has arrived; the effect, if any, has happened when this returns. */
  receive(connection: LinkConnection, unit: number, request: ModbusRequest): Verdict;
  /** Whether the connection swallows everything. A connection that was used while half open stays dead. */
  isDead(connection: LinkConnection): boolean;
  /** Id of the device that answers as this unit. */
  deviceAt(link: string, unit: number): string | undefined;
  /** Back to the initial state: faults, frames and everything that was written are gone. */
  reset(): void;
}

export interface WorldDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly devices: readonly SimDeviceSpec[];
}

export function createWorld({ clock, random, devices: specs }: WorldDeps): World {
  checkSpecs(specs);
  const plant = createPlant(specs.filter(isPlantSpec), clock.now());
  const devices = new Map(
    specs.map((spec) => [spec.id, { spec, model: buildDevice(spec, { plant, random, at: clock.now() }) }] as const),
  );
  const frames = createFrameLog();
  const board = createFaultBoard({
    clock,
    modelOf: (id) => find(id).model,
  });
  const rules = createRequestRules({ clock, devices, board });
  const find = (id: string): SimDevice => {
    const device = devices.get(id);
    if (!device) throw new HermesError('not_found', `no simulated device ${id}`, { device: id });
    return device;
  };
  const view = ({ spec, model }: SimDevice): SimDeviceView => {
    const at = clock.now();
    const values = model.points.map(({ unit, point }) => ({
      ...point,
      modbus_unit: unit,
      value: pointValue(model, point, at),
    }));
    const { id, kind, link, unit } = spec;
    return { id, kind, link, unit, state: model.state(at), faults: board.list(id), points: values };
  };
  return {
    links: [...new Set(specs.map((spec) => spec.link))],
    devices() {
      board.settle();
      return [...devices.values()].map(view);
    },
    device(id) {
      board.settle();
      return view(find(id));
    },
    put(id, name, value) {
      board.settle();
      const { model } = find(id);
      const point = model.points.find((entry) => entry.point.name === name)?.point;
      if (!point) throw new HermesError('not_found', `${id} has no point ${name}`, { device: id, point: name });
      if (!model.put(name, numberFor(point, value), clock.now())) {
        throw invalidParams(`${name} cannot be set`, [{ pointer: '/point', problem: 'follows from other points' }]);
      }
    },
    addFault: (request) => board.add(request, find(request.device).spec.kind),
    faults: () => board.list(),
    removeFault: (faultId) => board.remove(faultId),
    frames: (filter) => frames.list(filter),
    logFrame: (frame) => frames.add(frame),
    connect: (link) => ({ link, epochs: new Map(), dead: false }),
    receive: rules.receive,
    isDead: rules.isDead,
    deviceAt: (link, unit) => rules.deviceAt(link, unit)?.spec.id,
    reset() {
      board.clear();
      frames.clear();
      plant.reset(clock.now());
      for (const { model } of devices.values()) model.reset(clock.now());
    },
  };
}

function checkSpecs(specs: readonly SimDeviceSpec[]): void {
  const ids = new Set<string>();
  const units = new Set<string>();
  for (const { id, link, unit } of specs) {
    const place = `${link}/${unit}`;
    if (ids.has(id)) throw new RangeError(`two simulated devices are called ${id}`);
    if (units.has(place)) throw new RangeError(`two simulated devices answer at ${place}`);
    if (!Number.isInteger(unit) || unit < 1 || unit > 99) throw new RangeError(`${id}: unit must be 1–99, not ${unit}`);
    ids.add(id);
    units.add(place);
  }
}

function pointValue(model: DeviceModel, point: Point, at: number): number | boolean {
  const value = model.get(point.name, at);
  return point.type === 'bool' ? value !== 0 : value;
}

/** A number, a boolean, or the label of a number. */
function numberFor(point: Point, value: unknown): number {
  const label = Object.entries(point.labels ?? {}).find(([, text]) => text === value)?.[0];
  const number =
    typeof value === 'boolean' ? Number(value) : Number(label ?? (typeof value === 'number' ? value : Number.NaN));
  if (within(point, number)) return number;
  const labels = Object.values(point.labels ?? {});
  const expected = labels.length > 0 ? `one of ${labels.join(', ')}` : `a number ${point.min ?? ''}–${point.max ?? ''}`;
  throw invalidParams(`${point.name} does not take this value`, [
    { pointer: '/value', problem: `expected ${expected}` },
  ]);
}
