import { type PlantState, replaced } from '../plant/plant-state.js';
import { type Reading, readCircuit } from '../plant/reading.js';
import { disturbance } from './breaker.js';
import type { PlantDeviceKind } from './plant-device.js';
import { input, LINK_FAULTS } from './points.js';
import type { BankPoint } from './register-bank.js';

const J_PER_KWH = 3.6e6;

/** Works a state out once, however many registers ask. */
function onceFor<Value>(work: (state: PlantState) => Value): (state: PlantState) => Value {
  let last: { readonly state: PlantState; readonly value: Value } | undefined;
  return (state) => {
    if (last?.state !== state) last = { state, value: work(state) };
    return last.value;
  };
}

/** The meter at this index of the plant, on the load side of that circuit: an Eastron SDM630, float32 ABCD. */
export function meterKind(index: number, circuit: number): PlantDeviceKind {
  const read = onceFor((state: PlantState) => readCircuit(state, circuit));
  const float = (
    name: string,
    address: number,
    unit: string | undefined,
    of: (reading: Reading) => number,
  ): BankPoint<PlantState> => ({
    point: input(name, address, { type: 'float32', ...(unit === undefined ? {} : { unit }) }),
    get: (state) => of(read(state)),
  });
  const phases = [0, 1, 2] as const;
  const bank: BankPoint<PlantState>[] = [
    ...phases.map((k) => float(`voltage_l${k + 1}`, 2 * k, 'V', ({ volts }) => volts[k])),
    ...phases.map((k) => float(`current_l${k + 1}`, 6 + 2 * k, 'A', ({ amperes }) => amperes[k])),
    ...phases.map((k) => float(`power_l${k + 1}`, 12 + 2 * k, 'W', ({ watts }) => watts[k])),
    float('power_total', 0x34, 'W', ({ totalW }) => totalW),
    float('apparent_power', 0x38, 'VA', ({ apparentVa }) => apparentVa),
    float('reactive_power', 0x3c, 'var', ({ reactiveVar }) => reactiveVar),
    float('power_factor', 0x3e, undefined, ({ powerFactor }) => powerFactor),
    float('frequency', 0x46, 'Hz', ({ frequencyHz }) => frequencyHz),
    {
      point: input('energy_import', 0x48, { type: 'float32', unit: 'kWh' }),
      get: ({ energiesJ }) => (energiesJ[index] ?? 0) / J_PER_KWH,
      set: (state, kwh) => ({ ...state, energiesJ: replaced(state.energiesJ, index, () => kwh * J_PER_KWH) }),
    },
    float('energy_export', 0x4a, 'kWh', () => 0),
    float('voltage_l1_l2', 0xc8, 'V', ({ lineVolts }) => lineVolts[0]),
    float('voltage_l2_l3', 0xca, 'V', ({ lineVolts }) => lineVolts[1]),
    float('voltage_l3_l1', 0xcc, 'V', ({ lineVolts }) => lineVolts[2]),
    ...phases.map((k) => float(`thd_voltage_l${k + 1}`, 0xea + 2 * k, '%', (reading) => reading.distortionPercent[k])),
  ];
  return {
    bank,
    faultKinds: ['voltage_sag', 'phase_loss', ...LINK_FAULTS.filter((kind) => kind !== 'silent_write')],
    broken: (state, faults) => ({
      ...state,
      disturbances: replaced(state.disturbances, index, () => disturbance(faults)),
    }),
    word: (state) => (state.live[circuit]?.every((share) => share === 0) ? 'NO_VOLTAGE' : 'MEASURING'),
  };
}
