import { CONFIDENCE, RANGES } from '../config.js';
import type { Kind } from '../equipment.js';
import type { Rule } from './rule.js';

/** Pressure drop over the filter at which it is changed (domain facts §1.6: 200–250 Pa, clean 50–120 Pa). */
const clogged = (kind: Kind): Rule => ({
  name: 'FILTER-DP',
  fault: 'filter_clogged',
  kind,
  severity: 'medium',
  confidence: CONFIDENCE.said,
  points: ['filter_pressure'],
  shows: (look) => look.number('filter_pressure') > RANGES.filterPa,
});

export const FILTER_RULES: readonly Rule[] = [clogged('ahu'), clogged('split_unit')];
