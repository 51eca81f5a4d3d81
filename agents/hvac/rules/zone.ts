import { CONFIDENCE, RANGES } from '../config.js';
import type { Look, Rule } from './rule.js';

/** Zone above its set-point, K. */
const above = (look: Look): number => look.number('zone_temperature') - look.number('temperature_setpoint');

const deviation = (name: string, fault: Rule['fault'], shows: Rule['shows']): Rule => ({
  name,
  fault,
  kind: 'vav',
  severity: 'low',
  confidence: CONFIDENCE.transient,
  points: ['zone_temperature', 'temperature_setpoint'],
  rests: 'zone',
  shows,
});

/** A zone away from its set-point (G36 5.3.6 waits 10 min): a symptom, told when nothing explains it. */
export const ZONE_RULES: readonly Rule[] = [
  deviation('ZONE-HOT', 'zone_too_hot', (look) => above(look) > RANGES.zoneErrorK),
  deviation('ZONE-COLD', 'zone_too_cold', (look) => above(look) < -RANGES.zoneErrorK),
];
