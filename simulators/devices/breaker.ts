import { EXCEPTION } from '../modbus-pdu.js';
import { type CircuitState, type Disturbance, type PlantState, replaced } from '../plant/plant-state.js';
import { readCircuit } from '../plant/reading.js';
import type { OwnFaults, PlantDeviceKind } from './plant-device.js';
import { coil, discrete, input, LINK_FAULTS } from './points.js';
import type { BankPoint } from './register-bank.js';

/** The breaker of the circuit at this index of the plant. Its own electronics live on buffered 24 V. */
export function breakerKind(index: number): PlantDeviceKind {
  const own = (state: PlantState): CircuitState => state.circuits[index] as CircuitState;
  const change = (state: PlantState, next: Partial<CircuitState>): PlantState => ({
    ...state,
    circuits: replaced(state.circuits, index, (circuit) => ({ ...circuit, ...next })),
  });
  const trip = (state: PlantState): PlantState =>
    change(state, { closed: false, tripped: true, tripCount: (own(state).tripCount + 1) & 0xffff });
  const operate = (state: PlantState, value: number) => {
    if (value === 0) return change(state, { closed: false });
    return own(state).tripped ? { exception: EXCEPTION.deviceFailure } : change(state, { closed: true });
  };
  const bank: BankPoint<PlantState>[] = [
    { point: discrete('closed', 0), get: (state) => Number(own(state).closed), set: operate },
    {
      point: discrete('tripped', 1),
      get: (state) => Number(own(state).tripped),
      set: (state, value) => (value === 0 ? change(state, { tripped: false }) : trip(state)),
    },
    {
      point: input('current', 0, { scale: 0.1, unit: 'A' }),
      get: (state) => Math.max(...readCircuit(state, index).amperes),
    },
    { point: input('trip_count', 1), get: (state) => own(state).tripCount },
    { point: coil('close_command', 0), get: (state) => Number(own(state).closed), set: operate },
    {
      point: coil('reset_command', 1),
      get: () => 0,
      set: (state, value) => (value === 0 ? state : change(state, { tripped: false })),
    },
  ];
  return {
    bank,
    faultKinds: ['breaker_trip', 'voltage_sag', 'phase_loss', ...LINK_FAULTS],
    broken: (state, faults, begun) => change(begun === 'breaker_trip' ? trip(state) : state, disturbance(faults)),
    overcome: (state) => (own(state).tripped ? [] : ['breaker_trip']),
    word: (state) => wordOf(own(state)),
  };
}

/** What is wrong with a circuit's supply: the deepest sag, and every phase that is gone. */
export function disturbance(faults: OwnFaults): Disturbance {
  let sag = 0;
  let lostPhases = 0;
  for (const { kind, params } of faults) {
    if (kind === 'voltage_sag') sag = Math.max(sag, Number(params.pct) / 100);
    if (kind === 'phase_loss') lostPhases |= 1 << (Number(params.phase) - 1);
  }
  return { sag, lostPhases };
}

function wordOf({ closed, tripped }: CircuitState): string {
  if (tripped) return 'TRIPPED';
  return closed ? 'CLOSED' : 'OPEN';
}
