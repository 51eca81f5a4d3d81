import type { Phases, PlantState } from './plant-state.js';
import { SUPPLY } from './supply.js';

/** All that can be measured on the load side of a circuit at an instant, in V, A, W, VA, var, Hz and %. */
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

export function readCircuit(state: PlantState, index: number): Reading {
  const { at } = state;
  const live: Phases = state.live[index] ?? [0, 0, 0];
  const activeW = phases((phase) => state.loads.watts[3 * index + phase] ?? 0);
  const reactiveVar = phases((phase) => state.loads.vars[3 * index + phase] ?? 0);
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
