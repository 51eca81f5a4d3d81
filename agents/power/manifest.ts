import type { AgentDefinition } from '../runtime/index.js';
import { powerRulePack } from './intents.js';
import { checkSupply } from './tools/check-supply.js';
import { readMeter } from './tools/read-meter.js';

/** The power supply agent: meters and breakers, and whether power arrives. */
export function defineAgent(name = 'power_supply_agent'): AgentDefinition {
  return {
    name,
    version: '1.0',
    description: { zh: '供电：检查供电、读电表', en: 'power supply: checking a supply, reading meters' },
    tools: [checkSupply(), readMeter()],
    rulePack: powerRulePack,
    homes: ['meter', 'supply'],
  };
}
