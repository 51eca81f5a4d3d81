import {
  type AnswerSources,
  buildPlan,
  createSessionEngine,
  type DialogueContext,
  newDialogue,
  type Plan,
  type Understanding,
} from '../../agents/runtime/index.js';
import { componentName, type Discovery } from '../../mcp/index.js';
import type { Site } from '../../shared/site.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import { createKnownPacks } from './known-packs.js';

/** Sentences into plans, with the rule packs of everybody who announced one. */
export interface Planner {
  understand(
    text: string,
    context: DialogueContext | undefined,
    options: { explain?: boolean },
  ): { understanding: Understanding; context: DialogueContext };
  plan(understanding: Understanding): Plan;
  /** Sentences that would be understood, for those that were not. */
  examples(understanding: Understanding): string[];
  readonly answerSources: AnswerSources;
}

export function createPlanner(deps: { discovery: Discovery; site: Site; logger: Logger }): Planner {
  const { discovery, site, logger } = deps;
  const packs = createKnownPacks({ discovery, logger });
  const engine = createSessionEngine({ packs: packs.list, site: () => site });

  return {
    understand(text, context, options) {
      const how = { context: context ?? newDialogue(), ...(options.explain ? { explain: true } : {}) };
      try {
        return engine.understand(text, how);
      } catch (thrown) {
        if (!packs.leaveOutBroken()) throw thrown;
        return engine.understand(text, how);
      }
    },
    plan: (understanding) =>
      buildPlan(
        understanding.actions,
        { manifest: (component) => discovery.manifest(component), pack: packs.of, site },
        understanding.language,
      ),
    examples: ({ language }) =>
      packs.list().flatMap(({ pack }) => pack.intents.map((intent) => intent.example[language])),
    answerSources: { pack: packs.of, nameOf: componentName, site },
  };
}
