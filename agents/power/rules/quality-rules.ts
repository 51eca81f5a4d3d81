import { SUPPLY_LIMITS } from '../config.js';
import { FINE, type Rule, unjudged, unreadable } from './judgement.js';
import { DISTORTIONS, type Look, numberOf, PHASE_POWERS } from './look.js';

/** Load below which power factor and sums say nothing, VA: a share of the reference supply, no rating being known. */
const LOW_LOAD_VA = SUPPLY_LIMITS.low_load * SUPPLY_LIMITS.power_factor_from_va;

/** 50 ± 0.2 Hz (GB/T 15945); high from ±0.5 Hz (EN 50160, ±1 %). */
const frequency: Rule = {
  fault: 'frequency',
  judge(look) {
    const hertz = numberOf(look, 'frequency');
    if (hertz === undefined) return unreadable(look, ['frequency']) ?? unjudged('the meter has no frequency');
    const { nominal_hz, frequency_hz, frequency_high_hz } = SUPPLY_LIMITS;
    const off = Math.abs(hertz - nominal_hz);
    // Float32 cannot say 50.2.
    if (off <= frequency_hz + 1e-4) return FINE;
    const limit = { min: nominal_hz - frequency_hz, max: nominal_hz + frequency_hz, unit: 'Hz' };
    return { is: 'found', severity: off > frequency_high_hz ? 'high' : 'medium', points: ['frequency'], limit };
  },
};

/** Total distortion of each phase voltage, 5 % (GB/T 14549, 0.38 kV). */
const thd: Rule = {
  fault: 'thd',
  judge(look) {
    const unread = unreadable(look, DISTORTIONS);
    if (unread) return unread;
    const { thd_percent: max, thd_high_percent } = SUPPLY_LIMITS;
    const known = DISTORTIONS.filter((point) => numberOf(look, point) !== undefined);
    if (known.length === 0) return unjudged('the meter has no distortion');
    const over = known.filter((point) => (numberOf(look, point) ?? 0) > max);
    if (over.length === 0) return FINE;
    const severe = over.some((point) => (numberOf(look, point) ?? 0) > thd_high_percent);
    return { is: 'found', severity: severe ? 'high' : 'medium', points: over, limit: { max, unit: '%' } };
  },
};

/** At least 0.90; nothing is said of a load below 5 % of the supply, where magnetising currents rule. */
const lowPowerFactor: Rule = {
  fault: 'low_pf',
  judge(look) {
    const factor = numberOf(look, 'power_factor');
    const load = loadOf(look);
    if (factor === undefined) return unreadable(look, ['power_factor']) ?? unjudged('the meter has no power factor');
    if (load === undefined) return unjudged('the load is not known');
    if (load < LOW_LOAD_VA) return unjudged(`the load is below ${LOW_LOAD_VA} VA, 5 % of the supply`);
    const { power_factor: min } = SUPPLY_LIMITS;
    if (Math.abs(factor) >= min) return FINE;
    const points = ['power_factor', 'power_total', 'apparent_power'].filter((point) => point in look.values);
    return { is: 'found', severity: 'low', points, limit: { min, unit: '' } };
  },
};

/**
 * The parts of a meter agree with its whole: P with ΣP of the phases (1 %), S² with P² + Q² (2 %), |PF| ≤ 1. What does
 * not is wired wrongly, or read in the wrong word order.
 */
const inconsistent: Rule = {
  fault: 'meter_inconsistent',
  judge(look) {
    const unread = unreadable(look, ['power_total', ...PHASE_POWERS, 'apparent_power', 'reactive_power']);
    if (unread) return unread;
    const [p, s, q] = ['power_total', 'apparent_power', 'reactive_power'].map((point) => numberOf(look, point));
    const factor = numberOf(look, 'power_factor');
    const parts = PHASE_POWERS.map((point) => numberOf(look, point));
    const size = Math.max(Math.abs(p ?? 0), s ?? 0, LOW_LOAD_VA);
    const points = new Set<string>();
    if (p !== undefined && parts.every((part) => part !== undefined)) {
      const sum = parts.reduce<number>((total, part) => total + (part ?? 0), 0);
      if (Math.abs(p - sum) > SUPPLY_LIMITS.inconsistent * size) for (const name of SUM) points.add(name);
    }
    if (p !== undefined && s !== undefined && q !== undefined) {
      if (Math.abs(s - Math.hypot(p, q)) > SUPPLY_LIMITS.inconsistent_apparent * size)
        for (const name of TRIANGLE) points.add(name);
    }
    if (factor !== undefined && Math.abs(factor) > SUPPLY_LIMITS.power_factor_max) points.add('power_factor');
    return points.size === 0 ? FINE : { is: 'found', severity: 'medium', points: [...points] };
  },
};

const SUM = ['power_total', ...PHASE_POWERS] as const;
const TRIANGLE = ['power_total', 'apparent_power', 'reactive_power'] as const;

/** Apparent power, VA; from active and reactive power where the meter has none. */
function loadOf(look: Look): number | undefined {
  const p = numberOf(look, 'power_total');
  const q = numberOf(look, 'reactive_power');
  return numberOf(look, 'apparent_power') ?? (p === undefined ? undefined : Math.hypot(p, q ?? 0));
}

export const QUALITY_RULES: readonly Rule[] = [frequency, thd, lowPowerFactor, inconsistent];
