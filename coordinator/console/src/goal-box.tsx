import { type FormEvent, type KeyboardEvent, type RefObject, useState } from 'react';
import { useConsole } from './console-context.js';
import type { Problem } from './problem.js';
import { ProblemNote } from './problem-note.js';

export interface GoalBoxProps {
  readonly box: RefObject<HTMLTextAreaElement | null>;
  readonly sessionId: string | undefined;
  readonly sending: boolean;
  readonly problem: Problem | undefined;
  /** Resolves to true when the goal was accepted. */
  onSubmit(goal: string): Promise<boolean>;
  onNewConversation(): void;
}

/** Which conversation the next goal belongs to. */
function SessionLine({ sessionId, onNewConversation }: Pick<GoalBoxProps, 'sessionId' | 'onNewConversation'>) {
  const { text } = useConsole();
  return (
    <p className="row session">
      <span className="muted small">
        {text.session} {sessionId ? <code data-testid="session-id">{sessionId}</code> : <span>· {text.noSession}</span>}
      </span>
      {sessionId && (
        <button type="button" className="quiet" onClick={onNewConversation}>
          {text.newConversation}
        </button>
      )}
    </p>
  );
}

/** Where a goal is typed. Enter submits, except while an input method is composing. */
export function GoalBox({ box, sessionId, sending, problem, onSubmit, onNewConversation }: GoalBoxProps) {
  const { text } = useConsole();
  const [goal, setGoal] = useState('');
  const submit = async () => {
    const wanted = goal.trim();
    if (wanted === '' || sending) return;
    if (await onSubmit(wanted)) setGoal('');
  };
  const onForm = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  const choose = (example: string) => {
    setGoal(example);
    box.current?.focus();
  };
  return (
    <section className="panel goal-box" aria-labelledby="goal-label">
      <form onSubmit={onForm}>
        <div className="row">
          <label id="goal-label" htmlFor="goal-text">
            {text.goalLabel}
          </label>
          <span className="muted small" id="goal-hint">
            {text.goalHint}
          </span>
        </div>
        <div className="goal-entry">
          <textarea
            id="goal-text"
            ref={box}
            rows={2}
            value={goal}
            aria-describedby="goal-hint"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setGoal(event.target.value)}
            onKeyDown={onKey}
          />
          <button type="submit" className="primary" disabled={sending || goal.trim() === ''}>
            {sending ? text.sending : text.run}
          </button>
        </div>
      </form>
      <ProblemNote problem={problem} />
      <fieldset className="examples">
        <legend className="muted small">{text.examples}</legend>
        {text.exampleGoals.map((example) => (
          <button key={example} type="button" className="chip" onClick={() => choose(example)}>
            {example}
          </button>
        ))}
      </fieldset>
      <SessionLine sessionId={sessionId} onNewConversation={onNewConversation} />
    </section>
  );
}
