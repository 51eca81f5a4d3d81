import type { Point } from '../../shared/device.js';
import type { FaultKind, FaultParams } from '../faults.js';
import { isRefusal, type Refusal } from '../modbus-pdu.js';
import type { Plant } from '../plant/plant.js';
import type { PlantState } from '../plant/plant-state.js';
import type { DeviceModel } from './device-model.js';
import { FENCE_REGISTER } from './plc.js';
import { type Bank, readBank, writeBank } from './register-bank.js';

/** Faults of its own that act on a device, the oldest first. */
export type OwnFaults = readonly { readonly kind: FaultKind; readonly params: FaultParams }[];

/** What a kind of plant device is, beside being a view of the plant. */
export interface PlantDeviceKind {
  readonly bank: Bank<PlantState>;
  readonly faultKinds: readonly FaultKind[];
  /** Points that can hang. Default none. */
  readonly stuckPoints?: readonly string[];
  /** The plant with exactly these faults on the device; `begun` is the one that has just begun. */
  broken(state: PlantState, faults: OwnFaults, begun?: FaultKind): PlantState;
  /** Faults that the device has got over. Default none. */
  overcome?(state: PlantState): readonly FaultKind[];
  /** One word for people. */
  word(state: PlantState): string;
}

/** A device of the plant as one unit on its link; its fence is its own, everything else is the plant's. */
export function createPlantDevice(unit: number, plant: Plant, kind: PlantDeviceKind): DeviceModel {
  let fence = 0;
  let faults: OwnFaults = [];
  const bank: Bank<PlantState> = [...kind.bank, { point: FENCE, get: () => fence, set: (state) => state }];
  const entries = new Map(bank.map((entry) => [entry.point.name, entry]));
  const apply = (next: PlantState | Refusal, at: number): Refusal | undefined => {
    if (isRefusal(next)) return next;
    plant.change(at, () => next);
    return undefined;
  };
  return {
    units: [unit],
    fenceRegister: FENCE_REGISTER,
    faultKinds: kind.faultKinds,
    stuckPoints: kind.stuckPoints ?? [],
    points: bank.map(({ point }) => ({ unit, point })),
    read: (_unit, part, at) => readBank(bank, plant.view(at), part),
    write: (_unit, part, at) => apply(writeBank(bank, plant.view(at), part), at),
    fence: () => fence,
    setFence(epoch) {
      fence = epoch;
    },
    get: (name, at) => entries.get(name)?.get(plant.view(at)) ?? Number.NaN,
    put(name, value, at) {
      if (name === FENCE.name) {
        fence = value;
        return true;
      }
      const next = entries.get(name)?.set?.(plant.view(at), value);
      return next !== undefined && apply(next, at) === undefined;
    },
    fault(which, active, at, params) {
      if (active) faults = [...faults, { kind: which, params }];
      else faults = faults.filter((one) => one.kind !== which || one.params !== params);
      plant.change(at, (state) => kind.broken(state, faults, active ? which : undefined));
    },
    overcome: (at) => kind.overcome?.(plant.view(at)) ?? [],
    state: (at) => kind.word(plant.view(at)),
    reset() {
      fence = 0;
      faults = [];
    },
  };
}

const FENCE: Point = { name: 'fence', table: 'holding', address: FENCE_REGISTER, type: 'uint32', access: 'rw' };
