import {
  type AnswerSources,
  buildPlan,
  checkRulePack,
  createSessionEngine,
  type DialogueContext,
  newDialogue,
  type Plan,
  type RulePack,
  type Understanding,
} from '../../agents/runtime/index.js';
import { componentName, type Discovery, type Manifest } from '../../mcp/index.js';
import { toHermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';
import type { Logger } from '../../shared/telemetry/logger.js';

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
  /** Parsed once for each manifest object; a new manifest of a component is a new object. */
  const parsed = new WeakMap<object, RulePack | null>();

  const packs = (): { component: string; pack: RulePack }[] =>
    discovery.manifests().flatMap((manifest) => {
      if (!manifest.rule_pack) return [];
      let pack = parsed.get(manifest);
      if (pack === undefined) {
        pack = packOrNothing(manifest, logger);
        parsed.set(manifest, pack);
      }
      return pack ? [{ component: componentName(manifest.component), pack }] : [];
    });

  const packOf = (component: string): RulePack | undefined =>
    packs().find((entry) => entry.component === component)?.pack;
  const engine = createSessionEngine({ packs, site: () => site });

  return {
    understand: (text, context, options) =>
      engine.understand(text, { context: context ?? newDialogue(), ...(options.explain ? { explain: true } : {}) }),
    plan: (understanding) =>
      buildPlan(
        understanding.actions,
        { manifest: (component) => discovery.manifest(component), pack: packOf, site },
        understanding.language,
      ),
    examples: ({ language }) => packs().flatMap(({ pack }) => pack.intents.map((intent) => intent.example[language])),
    answerSources: { pack: packOf, nameOf: componentName, site },
  };
}

/** One agent's bad pack costs its own sentences, not those of the others. */
function packOrNothing(manifest: Manifest, logger: Logger): RulePack | null {
  try {
    return checkRulePack(manifest.component, manifest.rule_pack);
  } catch (thrown) {
    logger.warn({ component: manifest.component, detail: toHermesError(thrown).message }, 'rule pack refused');
    return null;
  }
}
