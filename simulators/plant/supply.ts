import { type CircuitLayout, type PlantLayout, varPerW } from './plant-layout.js';
import { type CircuitState, mapped, type Phases, type PlantState } from './plant-state.js';
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
 * Voltages on the load side of every circuit, as shares of the nominal one. What a breaker or its meter is disturbed
 * by concerns its circuit and all that this feeds.
 */
export function liveCircuits(layout: PlantLayout, { circuits, meters }: PlantState): Phases[] {
  const live: Phases[] = [];
  layout.circuits.forEach(({ parent, meters: own }, index) => {
    const circuit = circuits[index] as CircuitState;
    let { sag, lostPhases } = circuit;
    for (const meter of own) {
      sag = Math.max(sag, meters[meter]?.sag ?? 0);
      lostPhases |= meters[meter]?.lostPhases ?? 0;
    }
    const above = parent === undefined ? GRID : (live[parent] ?? DEAD);
    if (!circuit.closed) live.push(DEAD);
    else if (sag === 0 && lostPhases === 0) live.push(above);
    else live.push(phases((phase) => ((lostPhases >> phase) & 1 ? 0 : (above[phase] ?? 0) * (1 - sag))));
  });
  return live;
}

/**
 * Loads of every circuit and of what it feeds, by phase. `state` has decided already what runs. A fan takes power with
 * the cube of its speed.
 */
export function loadCircuits(layout: PlantLayout, state: PlantState, live: readonly Phases[]): readonly CircuitState[] {
  const watts: number[] = new Array(3 * live.length).fill(0);
  const vars: number[] = new Array(3 * live.length).fill(0);
  for (let index = live.length - 1; index >= 0; index--) {
    const circuit = layout.circuits[index] as CircuitLayout;
    const own = circuit.loadW * (1 + 0.03 * Math.sin((2 * Math.PI * state.at) / 613_000 + index));
    let fans = 0;
    for (const ahu of circuit.ahus) fans += ((state.ahus[ahu]?.speed ?? 0) ** 3 * SUPPLY.fanW) / 3;
    for (let phase = 0; phase < 3; phase++) {
      if ((live[index]?.[phase] ?? 0) < SUPPLY.deadBelow) continue;
      const small = own * (SPREAD[phase] ?? 0);
      const cooling = splitsOn(layout, state, circuit, phase);
      add(watts, 3 * index + phase, small + fans + cooling);
      add(vars, 3 * index + phase, small * circuit.varPerW + fans * FAN_VAR_PER_W + cooling * SPLIT_VAR_PER_W);
    }
    if (circuit.parent === undefined) continue;
    for (let phase = 0; phase < 3; phase++) {
      add(watts, 3 * circuit.parent + phase, watts[3 * index + phase] ?? 0);
      add(vars, 3 * circuit.parent + phase, vars[3 * index + phase] ?? 0);
    }
  }
  return mapped(state.circuits, ({ closed, tripped, tripCount, sag, lostPhases }, index) => ({
    closed,
    tripped,
    tripCount,
    sag,
    lostPhases,
    live: live[index] ?? DEAD,
    activeW: threeOf(watts, index),
    reactiveVar: threeOf(vars, index),
  }));
}

/** Power of the split units on one phase of a circuit, W. */
function splitsOn(layout: PlantLayout, state: PlantState, circuit: CircuitLayout, phase: number): number {
  let sum = 0;
  for (const index of circuit.splits) {
    const split = state.splits[index];
    if (split && layout.splits[index]?.phase === phase) sum += splitPowerW(split);
  }
  return sum;
}

function add(to: number[], index: number, more: number): void {
  to[index] = (to[index] ?? 0) + more;
}

const threeOf = (flat: readonly number[], index: number): Phases => [
  flat[3 * index] ?? 0,
  flat[3 * index + 1] ?? 0,
  flat[3 * index + 2] ?? 0,
];

/** All that a meter says of a circuit at an instant, in V, A, W, VA, var, Hz and %. */
export interface Reading {
  readonly volts: Phases;
  readonly amperes: Phases;
  readonly watts: Phases;
  readonly totalW: number;
  readonly apparentVa: number;
  readonly reactiveVar: number;
  readonly powerFactor: number;
  readonly frequencyHz: number;
  /** Between L1–L2, L2–L3, L3–L1. */
  readonly lineVolts: Phases;
  readonly distortionPercent: Phases;
}

export function readCircuit({ live, activeW, reactiveVar }: CircuitState, at: number): Reading {
  const volts = phases((phase) => SUPPLY.nominalV * (live[phase] ?? 0) * (1 + ripple(phase, at)));
  const amperes = phases((phase) => {
    const apparent = Math.hypot(activeW[phase] ?? 0, reactiveVar[phase] ?? 0);
    return apparent > 0 ? apparent / (volts[phase] ?? 1) : 0;
  });
  const totalW = sum(activeW);
  const reactive = sum(reactiveVar);
  const apparentVa = Math.hypot(totalW, reactive);
  const between = (a: number, b: number): number => Math.sqrt(a * a + b * b + a * b);
  const alive = live.some((share) => share >= SUPPLY.deadBelow);
  return {
    volts,
    amperes,
    watts: activeW,
    totalW,
    apparentVa,
    reactiveVar: reactive,
    powerFactor: apparentVa > 0 ? totalW / apparentVa : 1,
    frequencyHz: alive ? SUPPLY.frequencyHz + 0.02 * Math.sin((2 * Math.PI * at) / 41_000) : 0,
    lineVolts: [between(volts[0], volts[1]), between(volts[1], volts[2]), between(volts[2], volts[0])],
    distortionPercent: phases((phase) => ((live[phase] ?? 0) > 0 ? 2.1 + 0.15 * phase + 20 * ripple(phase, at) : 0)),
  };
}

/** A little of the voltage comes and goes: two slow sines, a function of the instant alone. */
const ripple = (phase: number, at: number): number =>
  0.002 * (1 - phase) +
  0.003 * Math.sin((2 * Math.PI * at) / 97_000 + phase) +
  0.001 * Math.sin((2 * Math.PI * at) / 13_000 + 2 * phase);

const sum = ([a, b, c]: Phases): number => a + b + c;
const phases = (of: (phase: number) => number): Phases => [of(0), of(1), of(2)];
