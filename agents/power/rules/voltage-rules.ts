import { SUPPLY_LIMITS } from '../config.js';
import { FINE, type Judgement, type Limit, type Rule, unjudged, unreadable } from './judgement.js';
import { LINES, type Look, numberOf, numbersOf, PHASES } from './look.js';

const { nominal_v, nominal_line_v, single_phase, three_phase, works_from, works_to } = SUPPLY_LIMITS;

const declared = (look: Look, points: readonly string[]): string[] =>
  points.filter((point) => point in look.values || point in look.missing);

/** A rule on the phase voltages that the meter has. */
function onPhases(look: Look, judge: (volts: readonly number[], points: readonly string[]) => Judgement): Judgement {
  const points = declared(look, PHASES);
  if (points.length === 0) return unjudged('the meter has no voltages');
  return unreadable(look, points) ?? judge(numbersOf(look, points) ?? [], points);
}

/** All phases below 5 % of nominal: interrupted (EN 50160, IEC 61000-4-30). */
const supplyLost: Rule = {
  fault: 'supply_lost',
  judge: (look) =>
    onPhases(look, (volts, points) => {
      const min = nominal_v * SUPPLY_LIMITS.interrupted;
      if (volts.some((v) => v >= min)) return FINE;
      return { is: 'found', severity: 'high', points, limit: { min, unit: 'V' } };
    }),
};

/** Some phase below 55 % of nominal while another one stands (see config.ts). */
const phaseLoss: Rule = {
  fault: 'phase_loss',
  judge: (look) =>
    onPhases(look, (volts, points) => {
      const min = nominal_v * SUPPLY_LIMITS.phase_lost;
      const lost = volts.filter((v) => v < min).length;
      if (lost === 0 || lost === volts.length) return FINE;
      return { is: 'found', severity: 'high', points, limit: { min, unit: 'V' } };
    }),
};

/** One voltage outside its bounds, and how far in parts of nominal. */
interface Excess {
  readonly point: string;
  readonly share: number;
  readonly limit: Limit;
}

function excesses(look: Look, side: 'under' | 'over'): Excess[] {
  const groups = [
    { points: PHASES, nominal: nominal_v, allowed: single_phase[side] },
    { points: LINES, nominal: nominal_line_v, allowed: three_phase[side] },
  ];
  return groups.flatMap(({ points, nominal, allowed }) => {
    const bound = nominal * (side === 'under' ? 1 - allowed : 1 + allowed);
    const limit = side === 'under' ? { min: bound, unit: 'V' } : { max: bound, unit: 'V' };
    return points.flatMap((point): Excess[] => {
      const volts = numberOf(look, point);
      const outside = volts !== undefined && (side === 'under' ? volts < bound : volts > bound);
      return outside ? [{ point, share: volts / nominal, limit }] : [];
    });
  });
}

/** Phase to neutral +7/−10 %, phase to phase ±7 % (GB/T 12325); high where equipment stops (IEC 60947-4-1). */
function outside(side: 'under' | 'over'): Rule['judge'] {
  return (look) =>
    onPhases(look, () => {
      const found = excesses(look, side);
      const first = found[0];
      if (!first) return FINE;
      const severe = found.some(({ share }) => (side === 'under' ? share < works_from : share > works_to));
      const points = found.map(({ point }) => point);
      return { is: 'found', severity: severe ? 'high' : 'medium', points, limit: first.limit };
    });
}

/** Negative over positive sequence (GB/T 15543); above 5 % no motor may run (NEMA MG-1). */
const unbalance: Rule = {
  fault: 'unbalance',
  judge(look) {
    const lines = declared(look, LINES);
    const points = lines.length === 3 ? lines : declared(look, PHASES);
    if (points.length < 3) return unjudged('the meter has less than three voltages');
    const percent = unbalanceOf(look, points, lines.length === 3);
    const unread = unreadable(look, points);
    if (unread || percent === undefined) return unread ?? FINE;
    const { unbalance_percent: max, unbalance_stop_percent: stop } = SUPPLY_LIMITS;
    if (percent <= max) return FINE;
    const severity = percent > stop ? 'high' : 'medium';
    const derived = { unbalance_percent: percent };
    return { is: 'found', severity, points, derived, limit: { max, unit: '%' } };
  },
};

function unbalanceOf(look: Look, points: readonly string[], betweenPhases: boolean): number | undefined {
  const volts = numbersOf(look, points);
  if (!volts || volts.length < 3 || volts.some((v) => v <= 0)) return undefined;
  return betweenPhases ? sequenceRatio(volts) : meanDeviation(volts);
}

/** U2/U1 in percent from the three voltages between phases, exact (IEC 61000-4-30 §5.7.1). */
export function sequenceRatio(volts: readonly number[]): number {
  const squares = volts.reduce((sum, v) => sum + v ** 2, 0);
  const beta = volts.reduce((sum, v) => sum + v ** 4, 0) / squares ** 2;
  const root = Math.sqrt(Math.max(0, 3 - 6 * beta));
  // Three equal voltages give a root of one, and of a hair more.
  return 100 * Math.sqrt(Math.max(0, 1 - root) / (1 + root));
}

/** Largest deviation from the mean, percent of the mean (NEMA MG-1 §14.36.2): where only phase voltages are known. */
export function meanDeviation(volts: readonly number[]): number {
  const mean = volts.reduce((sum, v) => sum + v, 0) / volts.length;
  return (100 * Math.max(...volts.map((v) => Math.abs(v - mean)))) / mean;
}

export const VOLTAGE_RULES: readonly Rule[] = [
  supplyLost,
  phaseLoss,
  { fault: 'under_voltage', judge: outside('under') },
  { fault: 'over_voltage', judge: outside('over') },
  unbalance,
];
