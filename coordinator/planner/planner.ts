import {
  type AnswerSources,
  buildPlan,
  createPackShelf,
  createSessionEngine,
  type DialogueContext,
  type IntendedAction,
  newDialogue,
  type PackShelf,
  type Plan,
  type PlanSources,
  type RulePack,
  type Understanding,
} from '../../agents/runtime/index.js';
import { componentName, type Discovery, type Manifest } from '../../mcp/index.js';
import { toHermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { TaskType } from '../goals/goal.js';
import { expandPlaybook, type Playbook, playbookPack } from '../playbooks/index.js';
import { checkPlaybooks } from './check-playbooks.js';

/** Sentences into plans, with the rule packs of everybody who announced one. */
export interface Planner {
  understand(
    text: string,
    context: DialogueContext | undefined,
    options: { explain?: boolean },
  ): { understanding: Understanding; context: DialogueContext };
  /** @throws HermesError naming what binds to nothing. */
  plan(understanding: Understanding): Planned;
  /**
   * Each playbook as a plan, by the manifests that are known now, for any place that it may be about.
   * @throws HermesError `invalid_params` that names the playbooks that cannot run, and why.
   */
  checkPlaybooks(): void;
  /** Sentences that would be understood, for those that were not. */
  examples(understanding: Understanding): string[];
  readonly answerSources: AnswerSources;
}

/** A plan, what kind of work it is where a playbook says so, and who made it. */
export interface Planned {
  readonly plan: Plan;
  readonly task_type?: TaskType;
  readonly placed_by: Understanding['placed_by'];
}

export interface PlannerDeps {
  readonly discovery: Discovery;
  readonly site: Site;
  readonly logger: Logger;
  /** Component under whose name the playbooks are understood. */
  readonly self: string;
  readonly playbooks: readonly Playbook[];
  /** Default: a shelf of its own. */
  readonly shelf?: PackShelf;
}

export function createPlanner(deps: PlannerDeps): Planner {
  const { discovery, site, logger, self, playbooks, shelf = createPackShelf() } = deps;
  const own = playbooks.length > 0 ? [{ component: self, pack: shelf.pack(self, playbookPack(playbooks, site)) }] : [];
  /** Parsed once for each manifest object, and equal packs once: several agents may announce the same. */
  const parsed = new WeakMap<object, RulePack | null>();
  const byText = new Map<string, RulePack | null>();
  const parse = (manifest: Manifest): RulePack | null => {
    const text = JSON.stringify(manifest.rule_pack);
    const pack = byText.get(text) ?? packOrNothing(manifest, shelf, logger);
    byText.set(text, pack);
    return pack;
  };

  const announced = (): { component: string; pack: RulePack }[] =>
    discovery.manifests().flatMap((manifest) => {
      if (!manifest.rule_pack) return [];
      let pack = parsed.get(manifest);
      if (pack === undefined) {
        pack = parse(manifest);
        parsed.set(manifest, pack);
      }
      return pack ? [{ component: componentName(manifest.component), pack }] : [];
    });

  const packs = () => [...own, ...announced()];
  const packOf = (component: string): RulePack | undefined =>
    packs().find((entry) => entry.component === component)?.pack;
  const playbookOf = (action: IntendedAction): Playbook | undefined =>
    action.callee === self ? playbooks.find(({ name }) => name === action.method) : undefined;
  const engine = createSessionEngine({ packs, site: () => site, shelf });

  return {
    understand: (text, context, options) =>
      engine.understand(text, { context: context ?? newDialogue(), ...(options.explain ? { explain: true } : {}) }),
    plan({ actions, language, placed_by }) {
      const manifest = (component: string) => discovery.manifest(component);
      const used = actions.flatMap((action) => playbookOf(action) ?? []);
      const expand: PlanSources['expand'] = (action, taken) => {
        const playbook = playbookOf(action);
        return playbook && expandPlaybook(playbook, action, taken, { manifest, site });
      };
      const plan = buildPlan(actions, { manifest, pack: packOf, site, expand }, language);
      const task_type = used.find((playbook) => playbook.task_type)?.task_type;
      return { plan, placed_by: used.length > 0 ? 'playbook' : placed_by, ...(task_type ? { task_type } : {}) };
    },
    checkPlaybooks: () => checkPlaybooks(playbooks, { discovery, site, self }),
    examples: ({ language }) => packs().flatMap(({ pack }) => pack.intents.map((intent) => intent.example[language])),
    answerSources: { pack: packOf, nameOf: componentName, site },
  };
}

/** One agent's bad pack costs its own sentences, not those of the others. */
function packOrNothing(manifest: Manifest, shelf: PackShelf, logger: Logger): RulePack | null {
  try {
    return shelf.pack(manifest.component, manifest.rule_pack);
  } catch (thrown) {
    logger.warn({ component: manifest.component, detail: toHermesError(thrown).message }, 'rule pack refused');
    return null;
  }
}
