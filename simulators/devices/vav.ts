import { type BoxState, clamp, type PlantState, replaced } from '../plant/plant-state.js';
import type { PlantDeviceKind } from './plant-device.js';
import { CUBIC_METRES_PER_HOUR, DECIDEGREES, holding, input, LINK_FAULTS, PERMILLE } from './points.js';
import type { BankPoint } from './register-bank.js';

/** The terminal box at this index of the plant, in the zone at that one. */
export function vavKind(index: number, zone: number): PlantDeviceKind {
  const own = (state: PlantState): BoxState => state.boxes[index] as BoxState;
  const change = (state: PlantState, next: Partial<BoxState>): PlantState => ({
    ...state,
    boxes: replaced(state.boxes, index, (box) => ({ ...box, ...next })),
  });
  const percent = (of: (box: BoxState) => number) => (state: PlantState) => of(own(state)) * 100;
  const value = (of: (box: BoxState) => number) => (state: PlantState) => of(own(state));
  const bank: BankPoint<PlantState>[] = [
    {
      point: input('zone_temperature', 0, { type: 'int16', scale: 0.01, unit: '°C' }),
      get: (state) => state.zones[zone] ?? 0,
      set: (state, celsius) => ({ ...state, zones: replaced(state.zones, zone, () => celsius) }),
    },
    { point: input('airflow', 1, CUBIC_METRES_PER_HOUR), get: value(({ held }) => held.airflow) },
    {
      point: input('damper_position', 2, PERMILLE),
      get: percent(({ damper }) => damper),
      set: (state, position) => change(state, { damper: clamp(position / 100) }),
    },
    { point: input('discharge_air_temperature', 3, DECIDEGREES), get: value(({ dischargeC }) => dischargeC) },
    {
      point: input('airflow_setpoint', 4, CUBIC_METRES_PER_HOUR),
      get: value(({ held }) => held.airflowSetpoint),
    },
    { point: input('damper_command', 5, PERMILLE), get: percent(({ held }) => held.damperCommand) },
    { point: input('reheat_valve', 6, PERMILLE), get: percent(({ held }) => held.reheat) },
    {
      point: holding('temperature_setpoint', 0, { ...DECIDEGREES, min: 16, max: 30 }),
      get: value(({ setpointC }) => setpointC),
      set: (state, setpointC) => change(state, { setpointC }),
    },
  ];
  return {
    bank,
    faultKinds: ['stuck', ...LINK_FAULTS],
    stuckPoints: ['damper_position'],
    broken: (state, faults) => change(state, { stuck: faults.some(({ kind }) => kind === 'stuck') }),
    word: (state) => (own(state).held.airflow > 1 ? 'SUPPLYING' : 'NO_AIR'),
  };
}
