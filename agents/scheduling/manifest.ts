import type { AgentDefinition } from '../runtime/index.js';
import { schedulingRulePack } from './intents.js';
import { completeWorkOrder } from './tools/complete-work-order.js';
import { createWorkOrder } from './tools/create-work-order.js';
import { listWorkOrder } from './tools/list-work-order.js';
import { lookupPerson } from './tools/lookup-person.js';
import { notify } from './tools/notify.js';
import { updateWorkOrder } from './tools/update-work-order.js';

/** The maintenance scheduling agent: people, what they are told, and what they have to do. */
export function defineAgent(name = 'maintenance_scheduling_agent'): AgentDefinition {
  return {
    name,
    version: '1.0',
    description: {
      zh: '维护调度：工单、通知人员、查询人员',
      en: 'maintenance scheduling: work orders, telling people, finding people',
    },
    tools: [createWorkOrder(), listWorkOrder(), updateWorkOrder(), completeWorkOrder(), notify(), lookupPerson()],
    rulePack: schedulingRulePack,
    homes: ['work_order'],
  };
}
