import { useConsole } from './console-context.js';
import type { Problem } from './problem.js';

/** A refusal, with the fields it is about. */
export function ProblemNote({ problem }: { readonly problem: Problem | undefined }) {
  const { text } = useConsole();
  if (problem === undefined) return null;
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{problem.status === 0 ? text.unreachable : problem.message}</strong>
        {problem.status > 0 && <span className="muted"> HTTP {problem.status}</span>}
      </p>
      {problem.detail !== '' && <p>{problem.detail}</p>}
      {problem.fields.length > 0 && (
        <ul>
          {problem.fields.map((item) => (
            <li key={`${item.field} ${item.message}`}>
              <code>{item.field}</code> {item.message}
            </li>
          ))}
        </ul>
      )}
      {problem.retryAfterS !== undefined && <p>{text.tooBusy(problem.retryAfterS)}</p>}
    </div>
  );
}
