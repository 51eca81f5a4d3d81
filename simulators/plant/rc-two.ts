import type { Sine } from './rc.js';

/**
 * Air and the mass of its walls (2R2C with a direct path outdoors):
 *
 *   Ca·dTa/dt = Gam·(Tm − Ta) + Gao·(To − Ta) + q
 *   Cm·dTm/dt = Gam·(Ta − Tm) + Gmo·(To − Tm)
 *
 * integrated exactly. The system matrix has two real modes λ = tr/2 ± √(tr²/4 − det); with m = tr/2 and
 * s = √(m² − det) its exponential is e^(mt)·(cosh(st)·I + sinh(st)/s·(A − m·I)) (Cayley–Hamilton for 2 × 2). The
 * forced course under a sine comes from (iω·I − A)⁻¹. The result does not depend on how the time is cut.
 */
export interface TwoMasses {
  /** Ca and Cm, J/K. */
  readonly airJPerK: number;
  readonly massJPerK: number;
  /** Gam, Gao and Gmo, W/K. */
  readonly airToMassWPerK: number;
  readonly airToOutdoorWPerK: number;
  readonly massToOutdoorWPerK: number;
}

/** Temperatures of the two, °C. */
export interface AirAndMass {
  readonly airC: number;
  readonly massC: number;
}

/** Temperatures after `seconds` with outdoor temperature and heat to the air held. */
export function twoMassStep(
  masses: TwoMasses,
  from: AirAndMass,
  outdoorC: number,
  heatW: number,
  seconds: number,
): AirAndMass {
  return decayed(masses, from, restOf(masses, outdoorC, heatW), restOf(masses, outdoorC, heatW), seconds);
}

/** Temperatures at `to`, when they were `state` at `from` (seconds on the time of the sine), heat to the air held. */
export function twoMassSine(
  masses: TwoMasses,
  state: AirAndMass,
  outdoor: Sine,
  heatW: number,
  from: number,
  to: number,
): AirAndMass {
  const rest = restOf(masses, outdoor.mean, heatW);
  const begin = forced(masses, outdoor, rest, from);
  return decayed(masses, state, begin, forced(masses, outdoor, rest, to), to - from);
}

/** What is left of the distance to the forced course, on top of where that is at the end. */
function decayed(masses: TwoMasses, from: AirAndMass, begin: AirAndMass, end: AirAndMass, seconds: number): AirAndMass {
  const { aa, am, ma, mm } = matrixOf(masses);
  const middle = (aa + mm) / 2;
  const spread = Math.sqrt(Math.max(0, middle * middle - (aa * mm - am * ma)));
  const [slow, fast] = [Math.exp((middle + spread) * seconds), Math.exp((middle - spread) * seconds)];
  const even = (slow + fast) / 2;
  const odd = spread > 0 ? (slow - fast) / (2 * spread) : seconds * slow;
  const [air, mass] = [from.airC - begin.airC, from.massC - begin.massC];
  return {
    airC: end.airC + even * air + odd * ((aa - middle) * air + am * mass),
    massC: end.massC + even * mass + odd * (ma * air + (mm - middle) * mass),
  };
}

/** Where everything rests under constant driving. */
function restOf(masses: TwoMasses, outdoorC: number, heatW: number): AirAndMass {
  const { airToMassWPerK: am, airToOutdoorWPerK: ao, massToOutdoorWPerK: mo } = masses;
  const determinant = am * (ao + mo) + ao * mo;
  return {
    airC: outdoorC + (heatW * (am + mo)) / determinant,
    massC: outdoorC + (heatW * am) / determinant,
  };
}

/** The course that every beginning tends to: rest, and the swing x = Im((iω·I − A)⁻¹·b·e^(iθ)). */
function forced(masses: TwoMasses, outdoor: Sine, rest: AirAndMass, t: number): AirAndMass {
  const { aa, am, ma, mm } = matrixOf(masses);
  const { omega, amplitude, phase } = outdoor;
  const toAir = (amplitude * masses.airToOutdoorWPerK) / masses.airJPerK;
  const toMass = (amplitude * masses.massToOutdoorWPerK) / masses.massJPerK;
  const angle = omega * t + phase;
  const [real, imaginary] = [aa * mm - am * ma - omega * omega, -omega * (aa + mm)];
  const swing = (a: number, b: number): number => {
    const scale = real * real + imaginary * imaginary;
    const [cosine, sine] = [(b * real - a * imaginary) / scale, (a * real + b * imaginary) / scale];
    return sine * Math.sin(angle) + cosine * Math.cos(angle);
  };
  return {
    airC: rest.airC + swing(am * toMass - mm * toAir, omega * toAir),
    massC: rest.massC + swing(ma * toAir - aa * toMass, omega * toMass),
  };
}

/** The system matrix, 1/s. */
function matrixOf(masses: TwoMasses): { aa: number; am: number; ma: number; mm: number } {
  const { airJPerK, massJPerK, airToMassWPerK: g } = masses;
  return {
    aa: -(g + masses.airToOutdoorWPerK) / airJPerK,
    am: g / airJPerK,
    ma: g / massJPerK,
    mm: -(g + masses.massToOutdoorWPerK) / massJPerK,
  };
}
