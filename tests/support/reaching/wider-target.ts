import { type AgentDefinition, defineTool } from '../../../agents/runtime/index.js';
import { agentWith, reach } from './base.js';

export const defineAgent = (name: string): AgentDefinition =>
  agentWith(
    name,
    defineTool({
      ...reach((ctx) => ctx.modbus.read('AHU-1', ['supply_temperature'])),
      side_effects: ['modbus.read:PLC-*'],
    }),
  );
