import { connect } from 'node:net';
import { type AgentDefinition, defineTool } from '../../../agents/runtime/index.js';
import { agentWith, reach } from './base.js';

export const defineAgent = (name: string): AgentDefinition =>
  agentWith(name, defineTool({ ...reach(() => connect(1, '127.0.0.1')), side_effects: [] }));
