/**
 * One heat capacity behind one conductance (1R1C), driven by a constant and by a sinusoidal outdoor temperature:
 *
 *   C·dT/dt = G·(m + A·sin θ(t) − T) + q,   θ(t) = ω·t + φ
 *
 * integrated exactly. With τ = C/G the forced course is
 * F(t) = m + q/G + A/(1 + (ωτ)²)·(sin θ − ωτ·cos θ), and T(t) = F(t) + (T₀ − F(t₀))·e^(−(t − t₀)/τ): the result does
 * not depend on how the time is cut. Source of the sine response: the linear equation's particular solution.
 */
export interface Sine {
  readonly mean: number;
  readonly amplitude: number;
  /** Angular frequency, rad/s. */
  readonly omega: number;
  /** Angle at time 0, rad. */
  readonly phase: number;
}

export interface OneMass {
  /** C, J/K. */
  readonly capacityJPerK: number;
  /** G, the sum of what leads to the driving temperatures, W/K. */
  readonly conductanceWPerK: number;
}

/** Temperature after `seconds` of constant driving: a step. */
export function stepResponse(mass: OneMass, fromC: number, drivingC: number, heatW: number, seconds: number): number {
  const target = drivingC + heatW / mass.conductanceWPerK;
  return target + (fromC - target) * Math.exp((-seconds * mass.conductanceWPerK) / mass.capacityJPerK);
}

/** The course that every beginning tends to, at time `t` in seconds. */
export function forcedCourse(mass: OneMass, driving: Sine, heatW: number, t: number): number {
  const { mean, amplitude, omega, phase } = driving;
  const lag = (omega * mass.capacityJPerK) / mass.conductanceWPerK;
  const angle = omega * t + phase;
  const swing = (amplitude / (1 + lag * lag)) * (Math.sin(angle) - lag * Math.cos(angle));
  return mean + heatW / mass.conductanceWPerK + swing;
}

/** Temperature at `to`, when it was `fromC` at `from`; both in seconds on the time of the sine. */
export function sineResponse(
  mass: OneMass,
  fromC: number,
  driving: Sine,
  heatW: number,
  from: number,
  to: number,
): number {
  const decay = Math.exp(((from - to) * mass.conductanceWPerK) / mass.capacityJPerK);
  return forcedCourse(mass, driving, heatW, to) + (fromC - forcedCourse(mass, driving, heatW, from)) * decay;
}
