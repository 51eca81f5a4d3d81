import { type CircuitLayout, type PlantLayout, varPerW } from './plant-layout.js';
import type { CircuitState, Loads, Phases, PlantState } from './plant-state.js';
import { splitPowerW } from './split-unit.js';

/** Three phases of 230 V to neutral. */
export const SUPPLY = {
  nominalV: 230,
  frequencyHz: 50,
  fanW: 5500,
  fanPowerFactor: 0.85,
  splitPowerFactor: 0.9,
  /** Motors let go below this share of the nominal voltage: the phase relay of an air handler, a compressor. */
  motorHolds: 0.8,
  /** Below this share nothing draws power. */
  deadBelow: 0.5,
} as const;

const GRID: Phases = [1, 1, 1];
const DEAD: Phases = [0, 0, 0];
const FAN_VAR_PER_W = varPerW(SUPPLY.fanPowerFactor);
const SPLIT_VAR_PER_W = varPerW(SUPPLY.splitPowerFactor);
/** How a load of many small consumers falls on the phases. */
const SPREAD: Phases = [0.345, 0.335, 0.32];

/**
 * The plant with the voltages that its breakers let through: what a breaker or its meter is disturbed by concerns its
 * circuit and all that this feeds.
 */
export function energized(layout: PlantLayout, state: PlantState): PlantState {
  const live: Phases[] = [];
  layout.circuits.forEach(({ parent, meters }, index) => {
    const circuit = state.circuits[index] as CircuitState;
    let { sag, lostPhases } = circuit;
    for (const meter of meters) {
      sag = Math.max(sag, state.disturbances[meter]?.sag ?? 0);
      lostPhases |= state.disturbances[meter]?.lostPhases ?? 0;
    }
    const above = parent === undefined ? GRID : (live[parent] ?? DEAD);
    const share = (phase: number): number => ((lostPhases >> phase) & 1 ? 0 : (above[phase] ?? 0) * (1 - sag));
    live.push(circuit.closed ? [share(0), share(1), share(2)] : DEAD);
  });
  return { ...state, live };
}

/** Whether motors run on a circuit: on one phase of it, or on all. Without a circuit they always do. */
export function motorsHold(live: readonly Phases[], circuit: number | undefined, phase?: number): boolean {
  if (circuit === undefined) return true;
  const [a, b, c] = live[circuit] ?? DEAD;
  const share = phase === undefined ? Math.min(a, b, c) : (live[circuit]?.[phase] ?? 0);
  return share >= SUPPLY.motorHolds;
}

/** Loads of every circuit, when `state` has decided already what runs. A fan takes power with the cube of its speed. */
export function loadsOf(layout: PlantLayout, state: PlantState): Loads {
  const { live } = state;
  const watts: number[] = [];
  const vars: number[] = [];
  for (let slot = 3 * live.length; slot > 0; slot--) {
    watts.push(0);
    vars.push(0);
  }
  for (let index = live.length - 1; index >= 0; index--) {
    const circuit = layout.circuits[index] as CircuitLayout;
    const own = circuit.loadW === 0 ? 0 : circuit.loadW * (1 + 0.03 * Math.sin(state.at * RIPPLE_PER_MS + index));
    let fans = 0;
    for (const ahu of circuit.ahus) fans += ((state.ahus[ahu]?.speed ?? 0) ** 3 * SUPPLY.fanW) / 3;
    for (let phase = 0; phase < 3; phase++) {
      const slot = 3 * index + phase;
      if ((live[index]?.[phase] ?? 0) >= SUPPLY.deadBelow) {
        const small = own * (SPREAD[phase] ?? 0);
        const cooling = circuit.splits.length === 0 ? 0 : splitsOn(layout, state, circuit, phase);
        watts[slot] = (watts[slot] ?? 0) + small + fans + cooling;
        vars[slot] = (vars[slot] ?? 0) + small * circuit.varPerW + fans * FAN_VAR_PER_W + cooling * SPLIT_VAR_PER_W;
      }
      if (circuit.parent === undefined) continue;
      const above = 3 * circuit.parent + phase;
      watts[above] = (watts[above] ?? 0) + (watts[slot] ?? 0);
      vars[above] = (vars[above] ?? 0) + (vars[slot] ?? 0);
    }
  }
  return { watts, vars };
}

/** Small loads come and go by 3 % in about ten minutes: radians for each millisecond. */
const RIPPLE_PER_MS = (2 * Math.PI) / 613_000;

/** Power of the split units on one phase of a circuit, W. */
function splitsOn(layout: PlantLayout, state: PlantState, circuit: CircuitLayout, phase: number): number {
  let sum = 0;
  for (const index of circuit.splits) {
    const split = state.splits[index];
    if (split && layout.splits[index]?.phase === phase) sum += splitPowerW(split);
  }
  return sum;
}
