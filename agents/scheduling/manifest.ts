import type { AgentDefinition } from '../runtime/index.js';
import { schedulingRulePack } from './intents.js';
import { lookupPerson } from './tools/lookup-person.js';
import { notify } from './tools/notify.js';

/** The maintenance scheduling agent: people, and what they are told. */
export function defineAgent(name = 'maintenance_scheduling_agent'): AgentDefinition {
  return {
    name,
    version: '1.0',
    description: { zh: '维护调度：通知人员、查询人员', en: 'maintenance scheduling: telling people, finding people' },
    tools: [notify(), lookupPerson()],
    rulePack: schedulingRulePack,
  };
}
