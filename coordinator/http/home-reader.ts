import type { Principal } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import { COORDINATOR } from '../coordinator.js';
import { homeOf } from '../home.js';
import type { HttpContext } from './context.js';

export interface HomeQuestion {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly principal: Principal;
  readonly consistency?: 'strong' | 'eventual';
}

/** Asks the component whose record it is, over the bus, on behalf of the person who asked us. */
export interface HomeReader {
  ask(component: string, question: HomeQuestion): Promise<unknown>;
  /** The home of a scope, or the component that was named. */
  home(scope: string, asked: string | undefined): string;
}

const WAIT_MS = 10_000;
const ATTEMPT_MS = 5_000;

export function createHomeReader({ coordinator, site, clock }: HttpContext): HomeReader {
  const { discovery, agent } = coordinator;
  return {
    async ask(name, { method, params, principal, consistency }) {
      if (name === COORDINATOR) return ownRecord(agent.cell.memory, method, params, principal);
      const manifest = discovery.manifest(name);
      if (!manifest) {
        throw new HermesError('not_found', `no agent ${name} is known`, { suggestion: 'see GET /v1/agents' });
      }
      const { response } = await agent.cell.caller.call({
        callee: manifest.component,
        method,
        params,
        principal,
        deadlineAt: clock.now() + WAIT_MS,
        timeoutMs: ATTEMPT_MS,
        ...(consistency ? { consistency } : {}),
      });
      return response.result;
    },
    home: (scope, asked) => asked ?? homeOf(scope, site),
  };
}

type Memory = HttpContext['coordinator']['agent']['cell']['memory'];

/** The coordinator's own record is read in place: it does not call itself. */
async function ownRecord(
  memory: Memory,
  method: string,
  params: Readonly<Record<string, unknown>>,
  principal: Principal,
): Promise<unknown> {
  const scope = String(params.scope);
  const number = (name: string): number | undefined => (params[name] === undefined ? undefined : Number(params[name]));
  switch (method) {
    case 'memory_read': {
      const version = number('version');
      return memory.read(scope, { principal, ...(version === undefined ? {} : { version }) });
    }
    case 'memory_history':
      return { versions: await memory.history(scope, { principal }) };
    case 'memory_diff': {
      const [from = 1, to = 1] = [number('from'), number('to')];
      return { from, to, changes: await memory.diff(scope, from, to, { principal }) };
    }
    default: {
      const [limit = 200, fromN = 1] = [number('limit'), number('from_n')];
      return { entries: await memory.audit(scope, { principal, limit, fromN }) };
    }
  }
}
