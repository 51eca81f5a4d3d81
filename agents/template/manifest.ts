import type { AgentDefinition } from '../runtime/index.js';
import { agentConfig } from './config.js';
import { rulePack } from './intents.js';
import { sampleAgentOverview } from './tools/sample-agent-overview.js';

/** What this agent is to others; its methods and sentences reach them in its manifest. */
export function defineAgent(name = 'sample_agent', config = agentConfig()): AgentDefinition {
  return {
    name,
    version: '1.0',
    description: { zh: '样板：设备概况', en: 'sample agent: overview of a device' },
    tools: [sampleAgentOverview(config)],
    rulePack,
  };
}
