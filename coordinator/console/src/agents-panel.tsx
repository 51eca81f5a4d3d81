import { useConsole } from './console-context.js';
import type { Agent } from './contract.js';
import { ProblemNote } from './problem-note.js';
import { usePolled } from './use-polled.js';

const REFRESH_MS = 10_000;

const methodName = (method: string | { readonly name: string }): string =>
  typeof method === 'string' ? method : method.name;

function AgentRow({ agent }: { readonly agent: Agent }) {
  const { text } = useConsole();
  const instances = agent.instances ?? [];
  const circuits = agent.circuits ?? [];
  return (
    <li>
      <details>
        <summary>
          <span className="grow">
            <code>{agent.name}</code> <span className="muted small">{agent.version}</span>
          </span>
          <span className="small" data-health={agent.state}>
            {agent.state}
          </span>
          <span className="num small muted">×{instances.length}</span>
        </summary>
        <ul className="sub small">
          {instances.map((item) => (
            <li key={item.instance}>
              <code>{item.instance}</code> <span data-health={item.state}>{item.state}</span>
              {item.load !== undefined && (
                <span className="muted">
                  {' '}
                  {text.load} {typeof item.load === 'object' ? JSON.stringify(item.load) : String(item.load)}
                </span>
              )}
            </li>
          ))}
        </ul>
        {circuits.length > 0 && (
          <p className="small">
            <span className="muted">{text.circuits}</span> <code>{JSON.stringify(circuits)}</code>
          </p>
        )}
        <p className="small">
          <span className="muted">{text.methods}</span> {(agent.methods ?? []).map(methodName).join(', ')}
        </p>
      </details>
    </li>
  );
}

export function AgentsPanel() {
  const { api, text } = useConsole();
  const { value, problem } = usePolled(() => api.agents(), 'agents', REFRESH_MS);
  return (
    <section className="panel side" aria-labelledby="agents-title">
      <h2 id="agents-title">
        {text.agents} {value && <span className="count">{value.length}</span>}
      </h2>
      <ProblemNote problem={problem} />
      {value?.length === 0 && <p className="muted small">{text.noAgents}</p>}
      <ul className="list">
        {value?.map((agent) => (
          <AgentRow key={agent.name} agent={agent} />
        ))}
      </ul>
    </section>
  );
}
