import type { Language } from '../../../shared/site.js';
import { compileExpression, type Plan, type StepStatus } from '../plan/index.js';
import { fillTemplate, type Speech } from './template.js';

/** What the steps together mean: the first conclusion of the plan that holds, or nothing. */
export function conclude(
  plan: Plan,
  steps: ReadonlyMap<string, StepStatus>,
  language: Language,
  speechFor: (component: string) => Speech,
): string {
  const scope = { steps: Object.fromEntries(steps), goal: {}, site: {} };
  for (const conclusion of plan.conclusions ?? []) {
    if (!holds(conclusion.when, scope)) continue;
    const step = plan.steps.find(({ id }) => id === conclusion.of);
    const status = steps.get(conclusion.of);
    if (!step || !status) continue;
    const result = typeof status.result === 'object' && status.result !== null ? status.result : {};
    return fillTemplate(conclusion[language], { ...step.params, ...status.params, ...result }, speechFor(step.callee));
  }
  return '';
}

/** What cannot be evaluated (its step has no result) does not hold. */
function holds(when: string, scope: Parameters<ReturnType<typeof compileExpression>['evaluate']>[0]): boolean {
  try {
    return compileExpression(when, '/when').evaluate(scope) === true;
  } catch {
    return false;
  }
}
