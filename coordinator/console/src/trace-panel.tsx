import { useEffect, useState } from 'react';
import { useConsole } from './console-context.js';
import type { Goal, Trace } from './contract.js';
import { asProblem, type Problem } from './problem.js';
import { ProblemNote } from './problem-note.js';
import { clockTime, duration } from './show-time.js';
import { placeStages, type TraceBar } from './trace-bars.js';

function Bar({ bar }: { readonly bar: TraceBar }) {
  const { clock, text } = useConsole();
  const wrong = bar.stage.error !== undefined && bar.stage.error !== null;
  const undone = bar.stage.rollback !== undefined && bar.stage.rollback !== null && bar.stage.rollback !== false;
  return (
    <tr data-error={wrong || undefined} data-rollback={undone || undefined}>
      <th scope="row">
        {bar.stage.name}
        {wrong && <span className="tag bad">{text.error}</span>}
        {undone && <span className="tag warn">{text.stepStates.rolled_back}</span>}
        <span className="muted small trace-who">{bar.stage.instance ?? bar.stage.component}</span>
      </th>
      <td className="num muted" title={clockTime(bar.stage.start_unix_ms, clock.now(), true)}>
        {bar.offsetMs < 0 ? '−' : '+'}
        {duration(Math.abs(bar.offsetMs))}
      </td>
      <td className="num">{duration(bar.stage.ms)}</td>
      <td className="track" aria-hidden="true">
        <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
          {bar.drawn && (
            <rect x={Math.min(997, bar.left * 1000)} y="0" width={Math.max(3, bar.width * 1000)} height="10" />
          )}
        </svg>
      </td>
    </tr>
  );
}

/** Where the time of a goal went: one row a stage, in the order in which they began. */
export function TracePanel({ goal }: { readonly goal: Goal }) {
  const { api, text } = useConsole();
  const [open, setOpen] = useState(false);
  const [trace, setTrace] = useState<Trace>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    if (!open) return;
    let gone = false;
    api.trace(goal.trace_id).then(
      (value) => {
        if (gone) return;
        setTrace(value);
        setProblem(undefined);
      },
      (error: unknown) => !gone && setProblem(asProblem(error)),
    );
    return () => {
      gone = true;
    };
    // A new view of the goal is a new object, so a running goal's trace grows as it does.
  }, [open, api, goal]);
  const placed = placeStages(trace?.stages ?? []);
  return (
    <details className="trace" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {text.trace} <code>{goal.trace_id}</code>
      </summary>
      <ProblemNote problem={problem} />
      {trace === undefined && problem === undefined && open && <p className="muted">{text.traceLoading}</p>}
      {trace !== undefined && placed.bars.length === 0 && <p className="muted">{text.traceEmpty}</p>}
      {placed.bars.length > 0 && (
        <table className="waterfall">
          <thead>
            <tr>
              <th scope="col">{text.stage}</th>
              <th scope="col">{text.offset}</th>
              <th scope="col">{text.duration}</th>
              <th scope="col" className="track">
                {text.total} {duration(placed.totalMs)}
              </th>
            </tr>
          </thead>
          <tbody>
            {placed.bars.map((bar) => (
              <Bar key={bar.key} bar={bar} />
            ))}
          </tbody>
        </table>
      )}
    </details>
  );
}
