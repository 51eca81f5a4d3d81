import type { AgentDefinition } from '../runtime/index.js';

/** The agent of a floor's air: a place in the site, without tools yet. */
export function defineAgent(name = 'hvac_agent'): AgentDefinition {
  return {
    name,
    version: '1.0',
    description: { zh: '楼层空调', en: 'air conditioning of a floor' },
    tools: [],
  };
}
