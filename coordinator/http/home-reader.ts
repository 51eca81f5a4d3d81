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
  /** The one instance that can answer; default: any. */
  readonly instance?: string;
  /** Default: enough for a read. */
  readonly waitMs?: number;
}

/**
 * Asks the component whose record it is, over the bus, on behalf of the person who asked us. The coordinator does not
 * call itself: its own record is read in place, by the same methods.
 */
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
    async ask(name, { method, params, principal, consistency, instance, waitMs }) {
      const deadlineAt = clock.now() + (waitMs ?? WAIT_MS);
      const level = consistency ? { consistency } : {};
      if (name === COORDINATOR) return agent.read(method, params, { principal, deadlineAt, ...level });
      const manifest = discovery.manifest(name);
      if (!manifest) {
        throw new HermesError('not_found', `no agent ${name} is known`, { suggestion: 'see GET /v1/agents' });
      }
      const { response } = await agent.cell.caller.call({
        callee: manifest.component,
        method,
        params,
        principal,
        deadlineAt,
        timeoutMs: waitMs ?? ATTEMPT_MS,
        ...(instance === undefined ? {} : { instance }),
        ...level,
      });
      return response.result;
    },
    home: (scope, asked) => asked ?? homeOf(scope, site, discovery.manifests()),
  };
}
