import type { PlantLayout } from './plant-layout.js';
import type { CircuitState, Phases, PlantState } from './plant-state.js';
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

/** Loads of every circuit and of what it feeds, by phase. `state` has decided already what runs. */
export function loadCircuits(layout: PlantLayout, state: PlantState, live: readonly Phases[]): CircuitState[] {
  const sums = layout.circuits.map((_, index) => ownLoad(layout, state, index, live[index] ?? DEAD));
  for (let index = sums.length - 1; index >= 0; index--) {
    const parent = layout.circuits[index]?.parent;
    if (parent === undefined) continue;
    const [from, to] = [sums[index] as Load, sums[parent] as Load];
    for (let phase = 0; phase < 3; phase++) {
      to.w[phase] = (to.w[phase] ?? 0) + (from.w[phase] ?? 0);
      to.v[phase] = (to.v[phase] ?? 0) + (from.v[phase] ?? 0);
    }
  }
  return state.circuits.map(({ closed, tripped, tripCount, sag, lostPhases }, index) => {
    const { w, v } = sums[index] as Load;
    return { closed, tripped, tripCount, sag, lostPhases, live: live[index] ?? DEAD, activeW: w, reactiveVar: v };
  });
}

interface Load {
  readonly w: [number, number, number];
  readonly v: [number, number, number];
}

function ownLoad(layout: PlantLayout, state: PlantState, index: number, live: Phases): Load {
  const load: Load = { w: [0, 0, 0], v: [0, 0, 0] };
  const circuit = layout.circuits[index];
  if (!circuit) return load;
  const draw = (phase: number, watts: number, powerFactor: number): void => {
    if ((live[phase] ?? 0) < SUPPLY.deadBelow) return;
    load.w[phase] = (load.w[phase] ?? 0) + watts;
    load.v[phase] = (load.v[phase] ?? 0) + watts * Math.sqrt(1 / powerFactor ** 2 - 1);
  };
  const small = circuit.loadW * (1 + 0.03 * Math.sin((2 * Math.PI * state.at) / 613_000 + index));
  for (let phase = 0; phase < 3; phase++) {
    if (small > 0) draw(phase, small * (SPREAD[phase] ?? 0), circuit.powerFactor);
    for (const ahu of circuit.ahus) {
      const speed = state.ahus[ahu]?.speed ?? 0;
      if (speed > 0) draw(phase, (SUPPLY.fanW / 3) * speed ** 3, SUPPLY.fanPowerFactor);
    }
  }
  for (const split of circuit.splits) {
    const unit = state.splits[split];
    const watts = unit ? splitPowerW(unit) : 0;
    if (watts > 0) draw(layout.splits[split]?.phase ?? 0, watts, SUPPLY.splitPowerFactor);
  }
  return load;
}

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
