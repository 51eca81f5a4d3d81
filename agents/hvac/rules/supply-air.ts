import { CONFIDENCE, G36 } from '../config.js';
import { CALL, fanIsOff } from './fan.js';
import type { Rule } from './rule.js';

/** Supply air away from its set-point while the coil gives all it has: the coil or its water is the cause. */
export const SUPPLY_AIR_RULES: readonly Rule[] = [
  {
    /** G36 5.16.14 FC13: SAT > SATSP + εSAT with the cooling valve all open. */
    name: 'G36-FC13',
    fault: 'sat_too_high',
    kind: 'ahu',
    severity: 'medium',
    confidence: CONFIDENCE.transient,
    points: [...CALL, 'supply_air_temperature', 'supply_air_setpoint', 'cooling_valve'],
    unless: fanIsOff,
    shows: (look) =>
      look.number('supply_air_temperature') > look.number('supply_air_setpoint') + G36.supplyErrorK &&
      look.number('cooling_valve') >= G36.valveFullPercent,
  },
  {
    /** G36 5.16.14 FC7: SAT < SATSP − εSAT with the heating valve all open. */
    name: 'G36-FC7',
    fault: 'sat_too_low',
    kind: 'ahu',
    severity: 'medium',
    confidence: CONFIDENCE.transient,
    points: [...CALL, 'supply_air_temperature', 'supply_air_setpoint', 'heating_valve'],
    unless: fanIsOff,
    shows: (look) =>
      look.number('supply_air_temperature') < look.number('supply_air_setpoint') - G36.supplyErrorK &&
      look.number('heating_valve') >= G36.valveFullPercent,
  },
];
