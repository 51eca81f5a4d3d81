import { defineAgent as define } from '../../../agents/plc/index.js';
import type { AgentDefinition } from '../../../agents/runtime/index.js';

/** The PLC agent one minor version on, as a rolling upgrade brings it. */
export const defineAgent = (name: string): AgentDefinition => ({ ...define(name), version: '1.3' });
