import type { AgentDefinition } from '../runtime/index.js';
import { hvacRulePack } from './intents.js';
import { diagnose } from './tools/diagnose.js';
import { getZoneStatus } from './tools/get-zone-status.js';
import { listFaults } from './tools/list-faults.js';
import { setSetpoint } from './tools/set-setpoint.js';

/** The agent of a floor's air. One module serves every floor: which one, the site says by what the agent serves. */
export function defineAgent(name = 'floor1_hvac_agent'): AgentDefinition {
  return {
    name,
    version: '1.0',
    description: {
      zh: '楼层空调：区域状态、故障诊断、温度设定',
      en: 'air conditioning of a floor: zones, fault diagnosis, set-points',
    },
    tools: [getZoneStatus(), diagnose(), listFaults(), setSetpoint()],
    homes: ['zone', 'status', 'diagnosis'],
    rulePack: hvacRulePack,
  };
}
