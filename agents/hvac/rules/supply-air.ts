import { CONFIDENCE, G36, RANGES } from '../config.js';
import { CALL, fanIsOff, speedsUp } from './fan.js';
import type { Look, Rule } from './rule.js';

const AIR = [...CALL, 'fan_status', 'fan_speed', 'supply_air_temperature', 'supply_air_setpoint'] as const;

const above = (look: Look): number => look.number('supply_air_temperature') - look.number('supply_air_setpoint');

/** Supply air is told by a fan that is proven to run; standing air takes the temperature around it. */
const noAir = (look: Look): string | undefined =>
  fanIsOff(look) ?? (look.is('fan_status') ? undefined : 'the fan does not run');

/**
 * Whether supply air away from its set-point is on its way there. It follows its coil within minutes: after
 * an outage it comes back slowly, and nearer than 9 K it moves by less than a step of the register within the looks.
 * There a few looks cannot tell a fault from what passes, and say so.
 */
const comesBack =
  (side: 1 | -1): NonNullable<Rule['underWay']> =>
  (first, last) => {
    if (side * (above(first) - above(last)) > RANGES.airMovesK) return 'the supply air is on its way';
    if (speedsUp(first, last)) return speedsUp(first, last);
    const away = side * above(last);
    return away < RANGES.supplyPlainK
      ? `needs_history: ${away.toFixed(1)} K may be on its way, too slow to see`
      : undefined;
  };

/**
 * Supply air far from its set-point though the fan runs, whatever the valve says: a valve that hangs is not all open
 * (field guide, domain facts §1.6; NIST APAR rule 25). The 10 minutes are not waited for: `transient`.
 */
const deviation = (name: string, fault: Rule['fault'], side: 1 | -1): Rule => ({
  name,
  fault,
  kind: 'ahu',
  severity: 'low',
  confidence: CONFIDENCE.transient,
  points: AIR,
  optional: ['cooling_valve', 'heating_valve'],
  unless: noAir,
  shows: (look) => side * above(look) > RANGES.supplyDeviationK,
  underWay: comesBack(side),
});

/** Supply air: the coils, their valves and their water. */
export const SUPPLY_AIR_RULES: readonly Rule[] = [
  {
    /** G36 5.16.14 FC13: SAT > SATSP + εSAT with the cooling valve all open. */
    name: 'G36-FC13',
    fault: 'sat_too_high',
    kind: 'ahu',
    severity: 'medium',
    confidence: CONFIDENCE.likely,
    points: [...AIR, 'cooling_valve'],
    unless: noAir,
    shows: (look) => above(look) > G36.supplyErrorK && look.number('cooling_valve') >= G36.valveFullPercent,
    underWay: comesBack(1),
  },
  {
    /** G36 5.16.14 FC7: SAT < SATSP − εSAT with the heating valve all open. */
    name: 'G36-FC7',
    fault: 'sat_too_low',
    kind: 'ahu',
    severity: 'medium',
    confidence: CONFIDENCE.likely,
    points: [...AIR, 'heating_valve'],
    unless: noAir,
    shows: (look) => above(look) < -G36.supplyErrorK && look.number('heating_valve') >= G36.valveFullPercent,
    underWay: comesBack(-1),
  },
  deviation('SAT-HIGH', 'sat_too_high', 1),
  deviation('SAT-LOW', 'sat_too_low', -1),
  {
    /** open-fdd AHU-SIMUL: it heats and cools at once; one valve leaks, hangs, or fights the other. */
    name: 'AHU-SIMUL',
    fault: 'simultaneous_heating_cooling',
    kind: 'ahu',
    severity: 'medium',
    confidence: CONFIDENCE.likely,
    points: [...CALL, 'cooling_valve', 'heating_valve'],
    unless: fanIsOff,
    shows: (look) => Math.min(look.number('cooling_valve'), look.number('heating_valve')) > RANGES.bothValvesPercent,
  },
];
