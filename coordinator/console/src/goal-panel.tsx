import { useEffect, useRef, useState } from 'react';
import { announce } from './announce.js';
import { AnswerPanel } from './answer-panel.js';
import { ApprovalPanel } from './approval-panel.js';
import { useConsole } from './console-context.js';
import { type Goal, isFinal } from './contract.js';
import { StateBadge } from './icon.js';
import { devicesTouched } from './plan-levels.js';
import { asProblem, type Problem } from './problem.js';
import { ProblemNote } from './problem-note.js';
import { PromptPanel } from './prompt-panel.js';
import { RecordLinks } from './record-links.js';
import { clockTime, duration, elapsed } from './show-time.js';
import { StepGraph } from './step-graph.js';
import { TracePanel } from './trace-panel.js';
import { useNow } from './use-polled.js';
import type { GoalView } from './watch-goal.js';

export interface GoalPanelProps {
  readonly view: GoalView;
  readonly sessionId: string | undefined;
  onJoin(sessionId: string): void;
  onAnswered(goalId: string | undefined): void;
}

function Announcer({ goal }: { readonly goal: Goal }) {
  const { text } = useConsole();
  const last = useRef<Goal>(undefined);
  const [said, setSaid] = useState('');
  useEffect(() => {
    const change = announce(last.current, goal, text);
    last.current = goal;
    if (change !== '') setSaid(change);
  }, [goal, text]);
  return (
    <p className="visually-hidden" role="status" aria-live="polite">
      {said}
    </p>
  );
}

function CancelButton({ goal }: { readonly goal: Goal }) {
  const { api, text } = useConsole();
  const [asked, setAsked] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  if (isFinal(goal.state)) return null;
  const cancel = async () => {
    setAsked(true);
    setProblem(undefined);
    try {
      await api.cancelGoal(goal.goal_id);
    } catch (error) {
      setProblem(asProblem(error));
      setAsked(false);
    }
  };
  return (
    <>
      <button type="button" onClick={cancel} disabled={asked}>
        {asked ? text.cancelling : text.cancel}
      </button>
      <ProblemNote problem={problem} />
    </>
  );
}

/** The record of each device the goal touched, as the coordinator keeps it. */
function GoalRecord({ goal }: { readonly goal: Goal }) {
  const { text } = useConsole();
  const devices = devicesTouched(goal);
  if (devices.length === 0) return null;
  return (
    <p className="record small">
      <span className="muted">{text.record}</span>
      {devices.map((id) => (
        <span key={id}>
          {id} <RecordLinks deviceId={id} />
        </span>
      ))}
    </p>
  );
}

function GoalHead({ goal, feed }: { readonly goal: Goal; readonly feed: GoalView['feed'] }) {
  const { text } = useConsole();
  const now = useNow(!isFinal(goal.state), 250);
  const took = elapsed(goal.created_at, goal.ended_at, now);
  return (
    <>
      <h2 id="goal-title" tabIndex={-1}>
        {goal.goal}
      </h2>
      <div className="goal-facts">
        <StateBadge state={goal.state} label={text.goalStates[goal.state] ?? goal.state} />
        {goal.state === 'running' && goal.phase && <span>{text.phases[goal.phase] ?? goal.phase}</span>}
        {took !== undefined && <span className="ms">{duration(took)}</span>}
        {goal.usage && <span className="muted">{text.usage(goal.usage.steps ?? 0, goal.usage.tokens ?? 0)}</span>}
        <span className="muted">{clockTime(goal.created_at, now)}</span>
        <code className="muted">{goal.goal_id}</code>
        {!isFinal(goal.state) && (
          <span className="feed" data-feed={feed}>
            {text.feeds[feed]}
          </span>
        )}
        <CancelButton goal={goal} />
      </div>
      {goal.waiting_for !== undefined && goal.waiting_for !== null && !isFinal(goal.state) && (
        <p className="note">
          <span className="muted">{text.waitingFor}</span>{' '}
          {typeof goal.waiting_for === 'string' ? goal.waiting_for : JSON.stringify(goal.waiting_for)}
        </p>
      )}
    </>
  );
}

/** One goal: what was asked, what is running, what is asked back, what came of it. */
export function GoalPanel({ view, sessionId, onJoin, onAnswered }: GoalPanelProps) {
  const { text } = useConsole();
  const { goal } = view;
  if (goal === undefined) {
    return (
      <section className="panel">
        <ProblemNote problem={view.problem} />
        {view.problem === undefined && <p className="muted">{text.loading}</p>}
      </section>
    );
  }
  const open = (goal.approvals ?? []).filter((approval) => !approval.decision);
  return (
    <section className="panel goal" aria-labelledby="goal-title">
      <GoalHead goal={goal} feed={view.feed} />
      {view.feed === 'polling' && <ProblemNote problem={view.problem} />}
      {goal.state === 'paused' && goal.prompt && (
        <PromptPanel key={goal.prompt.text} prompt={goal.prompt} sessionId={goal.session_id} onAnswered={onAnswered} />
      )}
      {!isFinal(goal.state) && open.map((approval) => <ApprovalPanel key={approval.approval_id} approval={approval} />)}
      <AnswerPanel goal={goal} />
      <StepGraph goal={goal} />
      <GoalRecord goal={goal} />
      <TracePanel key={goal.goal_id} goal={goal} />
      <Announcer goal={goal} />
      {goal.session_id !== sessionId && (
        <p>
          <button type="button" className="quiet" onClick={() => onJoin(goal.session_id)}>
            {text.joinConversation}
          </button>{' '}
          <code className="muted small">{goal.session_id}</code>
        </p>
      )}
    </section>
  );
}
