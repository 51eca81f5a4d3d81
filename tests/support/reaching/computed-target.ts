import { type AgentDefinition, defineTool, type ToolContext } from '../../../agents/runtime/index.js';
import { agentWith, reach } from './base.js';

/** Put together while it runs: no scan sees it. */
const widest = (ctx: ToolContext): string => ctx.site.devices.find(({ kind }) => kind === 'ahu')?.id ?? '';

export const defineAgent = (name: string): AgentDefinition =>
  agentWith(
    name,
    defineTool({
      ...reach((ctx) => ctx.modbus.read(widest(ctx), ['supply_temperature'])),
      side_effects: ['modbus.read:PLC-*'],
    }),
  );
