import { CONFIDENCE, G36 } from '../config.js';
import { CALL, fanIsOff } from './fan.js';
import type { Look, Rule } from './rule.js';

/** Mixed air lies between return and outdoor air, whatever the dampers do; outside of both, a sensor is wrong. */
const rule = (name: string, shows: (mixed: number, back: number, outdoor: number) => boolean): Rule => ({
  name,
  fault: 'mixed_air_out_of_range',
  kind: 'ahu',
  severity: 'medium',
  confidence: CONFIDENCE.likely,
  points: [...CALL, 'mixed_air_temperature', 'return_air_temperature', 'outdoor_air_temperature'],
  unless: fanIsOff,
  shows: (look: Look) =>
    shows(
      look.number('mixed_air_temperature'),
      look.number('return_air_temperature'),
      look.number('outdoor_air_temperature'),
    ),
});

export const MIXED_AIR_RULES: readonly Rule[] = [
  /** G36 5.16.14 FC2: MAT + εMAT < min(RAT − εRAT, OAT − εOAT). */
  rule('G36-FC2', (mixed, back, outdoor) => {
    const lowest = Math.min(back - G36.returnErrorK, outdoor - G36.outdoorErrorK);
    return mixed + G36.mixedErrorK < lowest;
  }),
  /** G36 5.16.14 FC3: MAT − εMAT > max(RAT + εRAT, OAT + εOAT). */
  rule('G36-FC3', (mixed, back, outdoor) => {
    const highest = Math.max(back + G36.returnErrorK, outdoor + G36.outdoorErrorK);
    return mixed - G36.mixedErrorK > highest;
  }),
];
