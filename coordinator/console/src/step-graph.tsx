import { useConsole } from './console-context.js';
import { type Goal, isFinal } from './contract.js';
import { planLevels } from './plan-levels.js';
import { StepCard } from './step-card.js';

/** The plan in the order of its dependencies; steps that do not wait for each other stand side by side. */
export function StepGraph({ goal }: { readonly goal: Goal }) {
  const { text } = useConsole();
  const steps = goal.plan?.steps ?? [];
  if (steps.length === 0) {
    return (
      <p className="muted">{isFinal(goal.state) || goal.state === 'paused' ? text.noStepsNeeded : text.noSteps}</p>
    );
  }
  return (
    <ol className="graph" aria-label={text.steps}>
      {planLevels(steps).map((level) => (
        <li key={level.map((step) => step.id).join(' ')} className="level">
          {level.length > 1 && <span className="level-label muted small">{text.parallel}</span>}
          <ul>
            {level.map((step) => (
              <StepCard key={step.id} step={step} />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}
