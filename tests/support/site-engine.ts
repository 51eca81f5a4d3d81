import {
  createSessionEngine,
  type DialogueContext,
  newDialogue,
  rulePackSchema,
  type Understanding,
} from '../../agents/runtime/index.js';
import { siteOf } from '../../topology/load.js';
import { loadAgents } from '../../topology/load-agents.js';
import { demoTopology } from './demo-site.js';

/** The session engine of the demo site, with the packs of all its agents: a sentence meets its neighbours here. */
export async function siteEngine() {
  const topology = demoTopology();
  const define = await loadAgents(topology);
  const site = siteOf(topology);
  const packs = topology.agents.flatMap(({ name }) => {
    const { rulePack } = define(name);
    return rulePack ? [{ component: name, pack: rulePackSchema.parse(rulePack) }] : [];
  });
  return createSessionEngine({ packs: () => packs, site: () => site });
}

/** A conversation: each sentence in the context that the former left. */
export function talkWith(engine: Awaited<ReturnType<typeof siteEngine>>): (text: string) => Understanding {
  let context: DialogueContext = newDialogue();
  return (text) => {
    const said = engine.understand(text, { context });
    context = JSON.parse(JSON.stringify(said.context)) as DialogueContext;
    return said.understanding;
  };
}

/** What is planned, each call in one line: `check_supply {"zone":"F3-A"}`; else the outcome. */
export const planned = ({ outcome, actions, prompt }: Understanding): string[] =>
  outcome === 'plan' || outcome === 'repeat'
    ? actions.map(({ method, params }) => `${method} ${JSON.stringify(params)}`)
    : [`${outcome}${prompt ? ` ${prompt.reason}` : ''}`];
