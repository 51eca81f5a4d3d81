import type { AgentDefinition } from '../../agents/runtime/index.js';
import { rulePack } from './intents.js';
import { adviseEnergy } from './tools/advise-energy.js';

/** What the energy optimiser is to others. */
export function defineAgent(name = 'energy_optimizer_agent'): AgentDefinition {
  return {
    name,
    version: '1.0',
    description: { zh: '节能：设定温度的建议', en: 'energy optimiser: advice on set-points' },
    tools: [adviseEnergy()],
    rulePack,
  };
}
