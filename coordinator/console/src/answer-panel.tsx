import { useConsole } from './console-context.js';
import type { Goal } from './contract.js';
import { ShowError } from './step-card.js';

/** What the coordinator answers, rendered from facts, in the language of the question. */
export function AnswerPanel({ goal }: { readonly goal: Goal }) {
  const { text } = useConsole();
  const { answer } = goal;
  const shown = (goal.plan?.steps ?? []).some((step) => step.error && step.error.message === goal.error?.message);
  const error = answer?.text && shown ? undefined : goal.error;
  if (!answer?.text && !error) return null;
  return (
    <section className="answer" data-state={goal.state} aria-labelledby="answer-title">
      <h3 id="answer-title">
        {text.answer} {answer?.degraded && <span className="tag warn">{text.degraded}</span>}
      </h3>
      {answer?.text && (
        <p className="answer-text" lang={answer.language}>
          {answer.text}
        </p>
      )}
      {error && <ShowError error={error} />}
    </section>
  );
}
