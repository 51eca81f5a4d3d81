import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Journal, Principal } from '../../mcp/index.js';
import type { Clock } from '../../shared/clock.js';
import type { LinkAddress } from '../../shared/device.js';
import type { Site } from '../../shared/site.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { Coordinator } from '../coordinator.js';

/** Takes agents into the running site and lets them go again; whoever made the site hands it in. */
export interface AgentIntake {
  /** @throws HermesError `invalid_params` naming `/name` or `/module`. */
  join(wanted: { readonly name: string; readonly module?: string }): Promise<Joined>;
  /** @throws HermesError `not_found`; `invalid_params` for an agent of the topology. */
  leave(name: string): Promise<void>;
}

export interface Joined {
  readonly name: string;
  readonly component: string;
  readonly instance: string;
}

/** What the routes stand on. */
export interface HttpContext {
  readonly coordinator: Coordinator;
  readonly intake: AgentIntake;
  readonly journal: Journal;
  readonly site: Site;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly resolveLink: (link: string) => Promise<LinkAddress>;
  /** Components that the topology lists; one that is missing makes the product degraded. */
  readonly expected: readonly string[];
  /** What else keeps the site from being whole; one problem makes the product degraded. */
  readonly problems?: () => readonly string[];
  /** Folder of the built page; none in tests that do not need it. */
  readonly pageDir?: string;
  /** Prometheus text, when telemetry is on. */
  readonly metricsText?: () => Promise<string>;
}

export type Routes = (app: FastifyInstance, context: HttpContext) => void;

/**
 * Who asks. Without configured authentication everybody on this machine is its administrator; `X-Hermes-User` says
 * under which name.
 */
export function principalOf(request: FastifyRequest): Principal {
  const header = request.headers['x-hermes-user'];
  const id = typeof header === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(header) ? header : 'local_admin';
  return { id, roles: ['admin'] };
}
