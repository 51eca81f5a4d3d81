import { plcRulePack } from '../../agents/plc/intents.js';
import {
  createSessionEngine,
  type DialogueContext,
  newDialogue,
  rulePackSchema,
} from '../../agents/runtime/session/index.js';
import { schedulingRulePack } from '../../agents/scheduling/intents.js';
import { siteFixture } from './site-fixture.js';

/** An engine with the packs of the PLC agent and of maintenance, on the fixture site. */
export function engineFixture() {
  const packs = [
    { component: 'plc_controller', pack: rulePackSchema.parse(plcRulePack) },
    { component: 'maintenance_scheduling_agent', pack: rulePackSchema.parse(schedulingRulePack) },
  ];
  return createSessionEngine({ packs: () => packs, site: () => siteFixture });
}

/** A conversation: each sentence in the context that the former left. */
export function conversation(engine = engineFixture()) {
  let context: DialogueContext = newDialogue();
  return (text: string) => {
    const said = engine.understand(text, { context });
    context = JSON.parse(JSON.stringify(said.context)) as DialogueContext;
    return said.understanding;
  };
}
