import { SUPPLY_LIMITS } from '../config.js';
import { FINE, type Rule, unjudged, unreadable } from './judgement.js';
import { booleanOf, type Look, numberOf } from './look.js';

const EVIDENCE = ['closed', 'tripped', 'current', 'trip_count'] as const;

const evidence = (look: Look): string[] => EVIDENCE.filter((point) => point in look.values);

/** Its protection has opened it. */
const tripped: Rule = {
  fault: 'breaker_tripped',
  judge(look) {
    const state = booleanOf(look, 'tripped');
    if (state === undefined) return unreadable(look, ['tripped']) ?? unjudged('the breaker does not say why it opens');
    return state ? { is: 'found', severity: 'high', points: evidence(look) } : FINE;
  },
};

/** Somebody has opened it. */
const open: Rule = {
  fault: 'breaker_open',
  judge(look) {
    const closed = booleanOf(look, 'closed');
    if (closed === undefined) return unreadable(look, ['closed']) ?? unjudged('the breaker does not say its position');
    if (closed || booleanOf(look, 'tripped') === true) return FINE;
    return { is: 'found', severity: 'high', points: evidence(look) };
  },
};

/** From 1.13 In it may trip in time, from 1.45 In it trips within the hour (IEC 60898-1). */
const overload: Rule = {
  fault: 'overload',
  judge(look) {
    const rated = numberOf(look, 'rated_current');
    const current = numberOf(look, 'current');
    if (rated === undefined || rated <= 0) return unjudged('no rating of the breaker is known');
    if (current === undefined) return unreadable(look, ['current']) ?? unjudged('the breaker has no current');
    const max = SUPPLY_LIMITS.overload * rated;
    if (current <= max) return FINE;
    const severity = current > SUPPLY_LIMITS.overload_trips * rated ? 'high' : 'medium';
    return { is: 'found', severity, points: ['current', 'rated_current'], limit: { max, unit: 'A' } };
  },
};

export const BREAKER_RULES: readonly Rule[] = [tripped, open, overload];
