import { componentName, type Manifest } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import type { Language, Site } from '../../shared/site.js';
import { aboutOf, speechOf, templateToCel } from './answer/index.js';
import type { Conclusion, Plan, PlanStep } from './plan/index.js';
import { methodOf } from './plan/index.js';
import type { IntendedAction, RulePack } from './session/index.js';

export interface PlanSources {
  /** By component name without version. */
  manifest(component: string): Manifest | undefined;
  pack(component: string): RulePack | undefined;
  readonly site: Site;
  /**
   * Several steps for one action (a playbook), under ids that are not taken; undefined for an action that is one call.
   * The action waits for the steps that its `depends_on` names.
   */
  expand?(action: IntendedAction, taken: ReadonlySet<string>): Plan | undefined;
}

/** Steps out of what the sentence asks for. @throws HermesError `unknown_method` when an action binds to nothing. */
export function buildPlan(actions: readonly IntendedAction[], sources: PlanSources, language: Language): Plan {
  const made = new Map<string, readonly PlanStep[]>();
  const conclusions: Conclusion[] = [];
  const taken = new Set(actions.map(({ id }) => id));
  for (const action of actions) {
    const before = action.depends_on.flatMap((id) => made.get(id) ?? []);
    const waiting = { ...action, depends_on: before.map(({ id }) => id) };
    const expanded = sources.expand?.(waiting, taken);
    const steps = expanded?.steps ?? [stepOf(waiting, before, sources, language)];
    conclusions.push(...(expanded?.conclusions ?? []));
    for (const step of steps) taken.add(step.id);
    made.set(action.id, steps);
  }
  return { steps: [...made.values()].flat(), ...(conclusions.length > 0 ? { conclusions } : {}) };
}

function stepOf(
  action: IntendedAction,
  before: readonly PlanStep[],
  sources: PlanSources,
  language: Language,
): PlanStep {
  const manifest = sources.manifest(action.callee);
  const method = methodOf(manifest, action.method);
  if (!manifest || !method) {
    throw new HermesError('unknown_method', `${action.callee} announces no method ${action.method}`);
  }
  return {
    id: action.id,
    callee: manifest.component,
    method: action.method,
    params: action.params,
    bind: { ...action.bind, ...tellings(action, before, sources, language) },
    ...(action.when ? { when: action.when } : {}),
    depends_on: action.depends_on,
    on_failure: 'stop',
    risk: method.risk,
    effect_class: method.effect_class,
    timeout_ms: method.timeout_ms,
  };
}

/** What earlier steps found, told in the parameters that the intent names for it, when the speaker gave no words. */
function tellings(
  action: IntendedAction,
  told: readonly PlanStep[],
  sources: PlanSources,
  language: Language,
): Record<string, string> {
  const tell = sources.pack(action.callee)?.intents.find((intent) => intent.name === action.intent)?.tell;
  if (!tell || told.length === 0) return {};
  const sentences = told.flatMap((other) => {
    const pack = sources.pack(componentName(other.callee));
    const answer = pack?.answers[other.method];
    if (!answer) return [];
    const text = templateToCel(answer[language], other.id, other.params, speechOf(sources.site, language, pack));
    return [`(steps.${other.id}.state == 'completed' ? ${text} + '\\n' : '')`];
  });
  if (sentences.length === 0) return {};
  const about = told
    .map((other) =>
      aboutOf(other.params, speechOf(sources.site, language, sources.pack(componentName(other.callee))), language),
    )
    .find((one) => one !== undefined);
  const title = language === 'zh' ? `设备通知：${about ?? ''}` : `Notice: ${about ?? ''}`;
  const bind: Record<string, string> = {};
  if (action.params[tell.body] === undefined) bind[`/${tell.body}`] = sentences.join(' + ');
  if (tell.subject && action.params[tell.subject] === undefined)
    bind[`/${tell.subject}`] = JSON.stringify(title.trim());
  return bind;
}
