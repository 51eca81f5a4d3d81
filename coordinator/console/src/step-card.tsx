import { useConsole } from './console-context.js';
import type { Step, StepError } from './contract.js';
import { StateBadge } from './icon.js';
import { duration, elapsed } from './show-time.js';
import { ShowValue } from './show-value.js';
import { useNow } from './use-polled.js';

function Rollback({ step }: { readonly step: Step }) {
  const { text } = useConsole();
  const executed = step.error?.rollback_executed ?? (step.state === 'rolled_back' ? true : undefined);
  if (executed === undefined) return null;
  const took = step.error?.rollback_ms;
  return (
    <p className="note">{executed ? text.rolledBack(took === undefined ? '' : duration(took)) : text.notRolledBack}</p>
  );
}

/** What went wrong, where, and what next. */
export function ShowError({ error }: { readonly error: StepError }) {
  const { text } = useConsole();
  return (
    <div className="step-error">
      <p>
        <strong>{text.error}</strong> <code>{[error.code, error.reason].filter(Boolean).join(' ')}</code>{' '}
        {error.message}
      </p>
      {error.where && (
        <p>
          <span className="muted">{text.whereItFailed}</span> {error.where}
        </p>
      )}
      {error.suggestion && (
        <p>
          <span className="muted">{text.suggestion}</span> {error.suggestion}
        </p>
      )}
    </div>
  );
}

/** What a step waits for, and why it did not run. */
function Condition({ step }: { readonly step: Step }) {
  const { text } = useConsole();
  if (!step.when && !step.why) return null;
  const why = step.why ?? (step.state === 'skipped' ? text.conditionNotMet : undefined);
  return (
    <div className="facts">
      <span className="facts-label">{step.when ? text.condition : text.why}</span>
      <p>
        {step.when && <code>{step.when}</code>} {why && <strong className="why">{why}</strong>}
      </p>
    </div>
  );
}

export function StepCard({ step }: { readonly step: Step }) {
  const { text } = useConsole();
  const active = step.state === 'running' || step.state === 'waiting';
  const now = useNow(active, 250);
  const took = elapsed(step.started_at, step.ended_at, now);
  const attempts = step.attempts ?? 0;
  return (
    <li className="step" data-state={step.state} data-step={step.id}>
      <div className="step-head">
        <StateBadge state={step.state} label={text.stepStates[step.state] ?? step.state} />
        <span className="step-method">
          <code className="method">{step.method}</code>
          {step.callee && <span className="muted"> · {step.callee}</span>}
        </span>
        {step.degraded && <span className="tag warn">{text.degraded}</span>}
        {attempts > 1 && <span className="tag">{text.attempts(attempts)}</span>}
        {took !== undefined && <span className="ms">{duration(took)}</span>}
      </div>
      <Condition step={step} />
      <ShowValue label={text.params} value={step.params} />
      <ShowValue label={text.result} value={step.result} />
      {step.error && <ShowError error={step.error} />}
      <Rollback step={step} />
      <p className="step-foot muted small">
        <span>{step.id}</span>
        {(step.depends_on?.length ?? 0) > 0 && (
          <span>
            {text.after} {step.depends_on?.join(', ')}
          </span>
        )}
        {step.served_by && (
          <span>
            {text.servedBy} <code>{step.served_by}</code>
          </span>
        )}
        {attempts === 1 && <span>{text.attempts(1)}</span>}
      </p>
    </li>
  );
}
