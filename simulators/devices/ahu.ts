import type { FaultKind } from '../faults.js';
import { outdoorAt } from '../plant/outdoor.js';
import {
  type AhuDefects,
  type AhuOrders,
  type AhuState,
  clamp,
  type PlantState,
  replaced,
} from '../plant/plant-state.js';
import type { OwnFaults, PlantDeviceKind } from './plant-device.js';
import {
  CUBIC_METRES_PER_HOUR,
  coil,
  DECIDEGREES,
  discrete,
  holding,
  input,
  LINK_FAULTS,
  labelsOf,
  PASCALS,
  PERMILLE,
} from './points.js';
import type { BankPoint } from './register-bank.js';

const FAULTS: readonly FaultKind[] = ['fan_dead', 'filter_clogged', 'stuck', ...LINK_FAULTS];

/** The air handler at this index of the plant. */
export function ahuKind(index: number): PlantDeviceKind {
  const own = (state: PlantState): AhuState => state.ahus[index] as AhuState;
  const change = (state: PlantState, next: Partial<AhuState>): PlantState => ({
    ...state,
    ahus: replaced(state.ahus, index, (ahu) => ({ ...ahu, ...next })),
  });
  const order = (state: PlantState, next: Partial<AhuOrders>): PlantState =>
    change(state, { orders: { ...own(state).orders, ...next } });
  const percent = (of: (ahu: AhuState) => number) => (state: PlantState) => of(own(state)) * 100;
  const value = (of: (ahu: AhuState) => number) => (state: PlantState) => of(own(state));
  const hang = (state: PlantState, coolingStuckAt: number): PlantState =>
    change(state, { defects: { ...own(state).defects, coolingStuckAt } });
  const bank: BankPoint<PlantState>[] = [
    { point: discrete('fan_status', 0), get: value(({ held }) => Number(held.running)) },
    { point: input('fan_speed', 0, PERMILLE), get: percent(({ speed }) => speed) },
    {
      point: input('supply_air_temperature', 1, DECIDEGREES),
      get: value(({ supplyC }) => supplyC),
      set: (state, supplyC) => change(state, { supplyC }),
    },
    { point: input('return_air_temperature', 2, DECIDEGREES), get: value(({ held }) => held.returnC) },
    { point: input('mixed_air_temperature', 3, DECIDEGREES), get: value(({ held }) => held.mixedC) },
    {
      point: input('outdoor_air_temperature', 4, DECIDEGREES),
      get: (state) => outdoorAt(state.outdoorShiftK, state.at),
      set: (state, celsius) => ({ ...state, outdoorShiftK: celsius - outdoorAt(0, state.at) }),
    },
    { point: input('duct_static_pressure', 5, PASCALS), get: value(({ held }) => held.staticPa) },
    { point: input('filter_pressure', 6, PASCALS), get: value(({ held }) => held.filterPa) },
    { point: input('supply_airflow', 7, CUBIC_METRES_PER_HOUR), get: value(({ held }) => held.airflow) },
    {
      point: input('cooling_valve', 8, PERMILLE),
      get: percent(({ held }) => held.cooling),
      set: (state, position) =>
        own(state).defects.coolingStuckAt === undefined ? FOLLOWS : hang(state, clamp(position / 100)),
    },
    { point: input('heating_valve', 9, PERMILLE), get: percent(({ held }) => held.heating) },
    { point: input('outdoor_damper', 10, PERMILLE), get: percent(({ held }) => held.outdoorDamper) },
    {
      point: coil('fan_command', 0),
      get: value(({ orders }) => Number(orders.fanCommand)),
      set: (state, on) => order(state, { fanCommand: on !== 0 }),
    },
    {
      point: holding('mode', 0, { min: 0, max: 1, labels: labelsOf({ OFF: 0, AUTO: 1 }) }),
      get: value(({ orders }) => Number(orders.auto)),
      set: (state, mode) => order(state, { auto: mode !== 0 }),
    },
    {
      point: holding('supply_air_setpoint', 1, { ...DECIDEGREES, min: 10, max: 30 }),
      get: value(({ orders }) => orders.supplySetpointC),
      set: (state, supplySetpointC) => order(state, { supplySetpointC }),
    },
    {
      point: holding('duct_static_setpoint', 2, { ...PASCALS, min: 50, max: 500 }),
      get: value(({ orders }) => orders.staticSetpointPa),
      set: (state, staticSetpointPa) => order(state, { staticSetpointPa }),
    },
  ];
  return {
    bank,
    faultKinds: FAULTS,
    stuckPoints: ['cooling_valve'],
    broken: (state, faults) => change(state, { defects: defectsOf(own(state), faults) }),
    word: (state) => wordOf(own(state)),
  };
}

/** Not to be set from outside: see `BankPoint.set`. */
const FOLLOWS = { exception: 4 } as const;

const defectsOf = ({ defects, held }: AhuState, faults: OwnFaults): AhuDefects => ({
  fanDead: faults.some(({ kind }) => kind === 'fan_dead'),
  clogged: faults.some(({ kind }) => kind === 'filter_clogged'),
  coolingStuckAt: faults.some(({ kind }) => kind === 'stuck') ? (defects.coolingStuckAt ?? held.cooling) : undefined,
});

function wordOf({ held, orders: { fanCommand, auto } }: AhuState): string {
  if (held.running) return 'RUNNING';
  return fanCommand && auto ? 'FAULT' : 'OFF';
}
