import { readFileSync } from 'node:fs';
import { type AgentDefinition, defineTool } from '../../../agents/runtime/index.js';
import { agentWith, reach } from './base.js';

export const defineAgent = (name: string): AgentDefinition =>
  agentWith(name, defineTool({ ...reach(() => readFileSync('/etc/hostname')), side_effects: [] }));
