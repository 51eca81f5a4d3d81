import { type AgentDefinition, defineTool } from '../../../agents/runtime/index.js';
import { agentWith, reach } from './base.js';

export const defineAgent = (name: string): AgentDefinition =>
  agentWith(name, defineTool({ ...reach(() => fetch('http://127.0.0.1:1/')), side_effects: [] }));
