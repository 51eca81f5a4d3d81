import type { Random } from '../../shared/random.js';
import type { Plant } from '../plant/plant.js';
import type { PlantSpec, PlcSpec, SimDeviceSpec } from '../sim-device.js';
import { ahuKind } from './ahu.js';
import { breakerKind } from './breaker.js';
import type { DeviceModel } from './device-model.js';
import { meterKind } from './meter.js';
import { createPlantDevice, type PlantDeviceKind } from './plant-device.js';
import { createPlc, PLC_DEFAULTS } from './plc.js';
import { splitUnitKind } from './split-unit.js';
import { vavKind } from './vav.js';

interface Deps {
  readonly plant: Plant;
  readonly random: Random;
  /** When the device begins, Unix milliseconds. */
  readonly at: number;
}

export const isPlantSpec = (spec: SimDeviceSpec): spec is PlantSpec => spec.kind !== 'plc';

/** A device of its kind; one that belongs to the plant is a view of it. */
export const buildDevice = (spec: SimDeviceSpec, { plant, random, at }: Deps): DeviceModel =>
  isPlantSpec(spec) ? createPlantDevice(spec.unit, plant, kindOf(spec, plant)) : buildPlc(spec, random, at);

function buildPlc(spec: PlcSpec, random: Random, at: number): DeviceModel {
  const params = {
    ...PLC_DEFAULTS,
    serial: 700_000 + spec.unit,
    ip: ipv4(10, 20, 0, spec.unit),
    heartbeat: random.stream(`simulators/${spec.id}`).int(1000),
    initially: spec.initially ?? 'online',
    ...spec.params,
  };
  return createPlc(spec.unit, params, at);
}

function kindOf(spec: PlantSpec, { layout }: Plant): PlantDeviceKind {
  const index = (list: readonly { readonly id: string }[]): number => list.findIndex(({ id }) => id === spec.id);
  const zone = (list: readonly { readonly id: string; readonly zone: number }[]): number =>
    list[index(list)]?.zone ?? 0;
  switch (spec.kind) {
    case 'ahu':
      return ahuKind(index(layout.ahus));
    case 'vav':
      return vavKind(index(layout.boxes), zone(layout.boxes));
    case 'split_unit':
      return splitUnitKind(index(layout.splits), zone(layout.splits));
    case 'meter':
      return meterKind(index(layout.meters), layout.meters[index(layout.meters)]?.circuit ?? 0);
    case 'breaker':
      return breakerKind(index(layout.circuits));
  }
}

const ipv4 = (a: number, b: number, c: number, d: number): number => ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
