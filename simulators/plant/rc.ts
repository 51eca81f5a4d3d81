/**
 * One heat capacity behind one conductance (1R1C), driven by a constant and by a sinusoidal temperature:
 *
 *   C·dT/dt = G·(m + A·sin θ(t) − T) + q,   θ(t) = ω·t + φ
 *
 * integrated exactly. With τ = C/G the forced course is
 * F(t) = m + q/G + A/(1 + (ωτ)²)·(sin θ − ωτ·cos θ), and T(t) = F(t) + (T₀ − F(t₀))·e^(−(t − t₀)/τ): the result does
 * not depend on how the time is cut. Source: the linear equation's particular solution plus its decaying mode.
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

/** Where a sine stands: the time in seconds, and sine and cosine of its angle. */
export interface Moment {
  readonly t: number;
  readonly sin: number;
  readonly cos: number;
}

export const momentOf = ({ omega, phase }: Sine, t: number): Moment => ({
  t,
  sin: Math.sin(omega * t + phase),
  cos: Math.cos(omega * t + phase),
});

/** Temperature after `seconds` of constant driving. */
export function stepResponse(mass: OneMass, fromC: number, drivingC: number, heatW: number, seconds: number): number {
  const target = drivingC + heatW / mass.conductanceWPerK;
  return target + (fromC - target) * Math.exp((-seconds * mass.conductanceWPerK) / mass.capacityJPerK);
}

/** Temperature at `to` of a mass that was at `fromC` at `from`, two moments of the sine that drives it. */
export function sineResponse(
  { capacityJPerK, conductanceWPerK }: OneMass,
  fromC: number,
  { mean, amplitude, omega }: Sine,
  heatW: number,
  from: Moment,
  to: Moment,
): number {
  const tau = capacityJPerK / conductanceWPerK;
  const lag = omega * tau;
  const swing = amplitude / (1 + lag * lag);
  const middle = mean + heatW / conductanceWPerK;
  const begin = middle + swing * (from.sin - lag * from.cos);
  const end = middle + swing * (to.sin - lag * to.cos);
  return end + (fromC - begin) * Math.exp((from.t - to.t) / tau);
}
