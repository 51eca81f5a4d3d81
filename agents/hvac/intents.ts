import type { RulePackInput } from '../runtime/index.js';
export const hvacRulePack: RulePackInput = { intents: [] };
