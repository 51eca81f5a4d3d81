/**
 * One heated mass with losses to its surroundings (1R1C): C·dT/dt = (Ta − T)/R + P·u(T), integrated exactly.
 *
 * The controller is proportional with feed-forward and saturates: u = clamp(u₀ + k·(Ts − T), 0, limit), where u₀ is
 * the share that holds Ts. In each of the three regimes (full, proportional, off) the equation is linear, so the
 * temperature goes monotonically to one asymptote and crosses each boundary at most once: the result does not depend
 * on how the time is cut into steps.
 */
export interface ThermalParams {
  readonly ambientC: number;
  /** Thermal resistance to the surroundings, K/W. */
  readonly resistanceKPerW: number;
  /** Heat capacity, J/K. */
  readonly capacityJPerK: number;
  /** Heat at full power, W. */
  readonly heaterW: number;
  /** Share of full power per kelvin of error. */
  readonly gainPerK: number;
}

export interface HeatingDemand {
  readonly setpointC: number;
  /** Highest share of the heater's power, 0–1; 0 is off. */
  readonly limit: number;
}

interface Regime {
  readonly below: number;
  readonly above: number;
  readonly targetC: number;
  readonly tauS: number;
}

/** Temperature after `seconds`. */
export function heat(params: ThermalParams, temperatureC: number, demand: HeatingDemand, seconds: number): number {
  const regimes = regimesOf(params, demand);
  let index = regimes.findIndex((regime) => temperatureC < regime.above);
  if (index < 0) index = regimes.length - 1;
  let temperature = temperatureC;
  let left = seconds;
  for (let guard = 0; guard <= regimes.length; guard++) {
    const regime = regimes[index] as Regime;
    const rising = regime.targetC > temperature;
    const boundary = rising ? regime.above : regime.below;
    const leaves = rising ? regime.targetC > boundary : regime.targetC < boundary;
    const time = leaves
      ? regime.tauS * Math.log((regime.targetC - temperature) / (regime.targetC - boundary))
      : Infinity;
    if (time >= left) return relax(temperature, regime.targetC, regime.tauS, left);
    temperature = boundary;
    left -= time;
    index += rising ? 1 : -1;
  }
  return temperature;
}

/** First-order approach of a target: T(t) = T∞ + (T₀ − T∞)·e^(−t/τ). */
export const relax = (from: number, target: number, tauS: number, seconds: number): number =>
  target + (from - target) * Math.exp(-seconds / tauS);

function regimesOf(params: ThermalParams, { setpointC, limit }: HeatingDemand): readonly Regime[] {
  const { ambientC, resistanceKPerW: r, capacityJPerK: c, heaterW, gainPerK: k } = params;
  const hold = (setpointC - ambientC) / (r * heaterW);
  const full = setpointC - (limit - hold) / k;
  const off = setpointC + hold / k;
  return [
    { below: -Infinity, above: full, targetC: ambientC + r * heaterW * limit, tauS: r * c },
    { below: full, above: off, targetC: setpointC, tauS: c / (1 / r + heaterW * k) },
    { below: off, above: Infinity, targetC: ambientC, tauS: r * c },
  ];
}
