import type { AgentDefinition } from '../runtime/index.js';

/** The power supply agent: a place in the site, without tools yet. */
export function defineAgent(name = 'power_supply_agent'): AgentDefinition {
  return {
    name,
    version: '1.0',
    description: { zh: '供电', en: 'power supply' },
    tools: [],
  };
}
