/**
 * Fault rules: what a few looks at equipment show.
 *  1. A rule is a pure function of looks; it reads only points that it names, and those are its evidence.
 *  2. A rule that cannot be asked says why; it never passes for "no fault".
 *  3. Every threshold has its name and source in `config.ts`, every rule its source in its docstring.
 */
import { FAN_RULES } from './fan.js';
import { FILTER_RULES } from './filter.js';
import { MIXED_AIR_RULES } from './mixed-air.js';
import type { Rule } from './rule.js';
import { SPLIT_UNIT_RULES } from './split-unit.js';
import { SUPPLY_AIR_RULES } from './supply-air.js';
import { TERMINAL_RULES } from './terminal.js';
import { ZONE_RULES } from './zone.js';

export { CALL, fanIsOff, speedsUp } from './fan.js';
export type { Look, Rule } from './rule.js';

export const RULES: readonly Rule[] = [
  ...FAN_RULES,
  ...FILTER_RULES,
  ...SUPPLY_AIR_RULES,
  ...MIXED_AIR_RULES,
  ...TERMINAL_RULES,
  ...SPLIT_UNIT_RULES,
  ...ZONE_RULES,
];
