import { type PlantState, replaced, SPLIT_MODE, type SplitState } from '../plant/plant-state.js';
import { splitFilterPa } from '../plant/split-unit.js';
import type { PlantDeviceKind } from './plant-device.js';
import { DECIDEGREES, discrete, holding, input, LINK_FAULTS, labelsOf, PASCALS } from './points.js';
import type { BankPoint } from './register-bank.js';

/** The split unit at this index of the plant, in the zone at that one. */
export function splitUnitKind(index: number, zone: number): PlantDeviceKind {
  const own = (state: PlantState): SplitState => state.splits[index] as SplitState;
  const change = (state: PlantState, next: Partial<SplitState>): PlantState => ({
    ...state,
    splits: replaced(state.splits, index, (split) => ({ ...split, ...next })),
  });
  const value = (of: (split: SplitState) => number) => (state: PlantState) => of(own(state));
  const room = (state: PlantState): number => state.zones[zone] ?? 0;
  const bank: BankPoint<PlantState>[] = [
    { point: discrete('compressor_status', 0), get: value(({ compressor }) => Number(compressor !== 'off')) },
    { point: discrete('fan_status', 1), get: value(({ fan }) => Number(fan)) },
    {
      point: input('room_temperature', 0, DECIDEGREES),
      get: room,
      set: (state, celsius) => ({ ...state, zones: replaced(state.zones, zone, () => celsius) }),
    },
    {
      point: input('supply_air_temperature', 1, DECIDEGREES),
      get: value(({ supplyC }) => supplyC),
      set: (state, supplyC) => change(state, { supplyC }),
    },
    { point: input('return_air_temperature', 2, DECIDEGREES), get: room },
    { point: input('filter_pressure', 3, PASCALS), get: value(splitFilterPa) },
    {
      point: holding('mode', 0, { min: 0, max: SPLIT_MODE.FAN, labels: labelsOf(SPLIT_MODE) }),
      get: value(({ mode }) => mode),
      set: (state, mode) => change(state, { mode }),
    },
    {
      point: holding('temperature_setpoint', 1, { ...DECIDEGREES, min: 16, max: 30 }),
      get: value(({ setpointC }) => setpointC),
      set: (state, setpointC) => change(state, { setpointC }),
    },
  ];
  return {
    bank,
    faultKinds: ['fan_dead', 'filter_clogged', ...LINK_FAULTS],
    broken: (state, faults) =>
      change(state, {
        fanDead: faults.some(({ kind }) => kind === 'fan_dead'),
        clogged: faults.some(({ kind }) => kind === 'filter_clogged'),
      }),
    word: (state) => wordOf(own(state)),
  };
}

function wordOf({ mode, fan, compressor }: SplitState): string {
  if (mode === SPLIT_MODE.OFF) return 'OFF';
  if (!fan) return 'FAULT';
  return compressor === 'off' ? 'FAN' : compressor.toUpperCase();
}
