import { useConsole } from './console-context.js';
import { StateBadge } from './icon.js';
import { ProblemNote } from './problem-note.js';
import { clockTime } from './show-time.js';
import { usePolled } from './use-polled.js';

const REFRESH_MS = 10_000;
const SHOWN = 12;

export interface GoalsPanelProps {
  readonly currentId: string | undefined;
  /** Changes when the list should be read again. */
  readonly version: string;
}

export function GoalsPanel({ currentId, version }: GoalsPanelProps) {
  const { api, clock, text } = useConsole();
  const { value, problem } = usePolled(() => api.goals(), version, REFRESH_MS);
  return (
    <section className="panel side" aria-labelledby="goals-title">
      <h2 id="goals-title">{text.recentGoals}</h2>
      <ProblemNote problem={problem} />
      {value?.length === 0 && <p className="muted small">{text.noGoals}</p>}
      <ul className="list goals">
        {value?.slice(0, SHOWN).map((goal) => (
          <li key={goal.goal_id}>
            <a
              href={`#goal=${encodeURIComponent(goal.goal_id)}`}
              aria-current={goal.goal_id === currentId || undefined}
            >
              <span className="goal-line">{goal.goal}</span>
              <span className="row small">
                <StateBadge state={goal.state} label={text.goalStates[goal.state] ?? goal.state} />
                <span className="muted">{clockTime(goal.created_at, clock.now())}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
