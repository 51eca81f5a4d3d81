import { hvacRulePack } from '../../agents/hvac/intents.js';
import { plcRulePack } from '../../agents/plc/intents.js';
import { createSessionEngine, rulePackSchema } from '../../agents/runtime/session/index.js';
import { schedulingRulePack } from '../../agents/scheduling/intents.js';
import { siteOf } from '../../topology/load.js';
import { demoTopology } from './demo-site.js';

/** An engine on the demo site: the agents of three floors, of the controllers and of maintenance. */
export function buildingEngine() {
  const site = siteOf(demoTopology());
  const hvac = rulePackSchema.parse(hvacRulePack);
  const packs = [
    ...[1, 2, 3].map((floor) => ({ component: `floor${floor}_hvac_agent`, pack: hvac })),
    { component: 'plc_controller', pack: rulePackSchema.parse(plcRulePack) },
    { component: 'maintenance_scheduling_agent', pack: rulePackSchema.parse(schedulingRulePack) },
  ];
  return createSessionEngine({ packs: () => packs, site: () => site });
}
