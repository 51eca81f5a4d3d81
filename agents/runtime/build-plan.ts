import type { Manifest } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import type { Language, Site } from '../../shared/site.js';
import { aboutOf, speechOf, templateToCel } from './answer/index.js';
import type { Plan, PlanStep } from './plan/index.js';
import { methodOf } from './plan/index.js';
import type { IntendedAction, RulePack } from './session/index.js';

export interface PlanSources {
  /** By component name without version. */
  manifest(component: string): Manifest | undefined;
  pack(component: string): RulePack | undefined;
  readonly site: Site;
}

/** Steps out of what the sentence asks for. @throws HermesError `unknown_method` when an action binds to nothing. */
export function buildPlan(actions: readonly IntendedAction[], sources: PlanSources, language: Language): Plan {
  const steps: PlanStep[] = [];
  for (const action of actions) {
    const manifest = sources.manifest(action.callee);
    const method = methodOf(manifest, action.method);
    if (!manifest || !method) {
      throw new HermesError('unknown_method', `${action.callee} announces no method ${action.method}`);
    }
    steps.push({
      id: action.id,
      callee: manifest.component,
      method: action.method,
      params: action.params,
      bind: { ...action.bind, ...tellings(action, actions, sources, language) },
      ...(action.when ? { when: action.when } : {}),
      depends_on: action.depends_on,
      on_failure: 'stop',
      risk: method.risk,
      effect_class: method.effect_class,
      timeout_ms: method.timeout_ms,
    });
  }
  return { steps };
}

/** What earlier steps found, told in the parameters that the intent names for it, when the speaker gave no words. */
function tellings(
  action: IntendedAction,
  actions: readonly IntendedAction[],
  sources: PlanSources,
  language: Language,
): Record<string, string> {
  const tell = sources.pack(action.callee)?.intents.find((intent) => intent.name === action.intent)?.tell;
  const told = actions.filter((other) => action.depends_on.includes(other.id));
  if (!tell || told.length === 0) return {};
  const sentences = told.flatMap((other) => {
    const answer = sources.pack(other.callee)?.answers[other.method];
    if (!answer) return [];
    const text = templateToCel(
      answer[language],
      other.id,
      other.params,
      speechOf(sources.site, language, sources.pack(other.callee)),
    );
    return [`(steps.${other.id}.state == 'completed' ? ${text} + '\\n' : '')`];
  });
  if (sentences.length === 0) return {};
  const about = told
    .map((other) => aboutOf(other.params, speechOf(sources.site, language, sources.pack(other.callee)), language))
    .find((one) => one !== undefined);
  const title = language === 'zh' ? `设备通知：${about ?? ''}` : `Notice: ${about ?? ''}`;
  const bind: Record<string, string> = {};
  if (action.params[tell.body] === undefined) bind[`/${tell.body}`] = sentences.join(' + ');
  if (tell.subject && action.params[tell.subject] === undefined)
    bind[`/${tell.subject}`] = JSON.stringify(title.trim());
  return bind;
}
