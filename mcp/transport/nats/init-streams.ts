import type { Clock } from '../../../shared/clock.js';
import type { Random } from '../../../shared/random.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { createJet } from './jet.js';
import { openLine } from './line.js';
import { OPS_INBOX } from './permissions.js';
import { ensureStream, headsPlan, journalPlan, livePlan, logPlan } from './streams.js';

export interface InitStreamsOptions {
  readonly url: string;
  readonly tenant: string;
  /** Of the tenant's `ops` user; unset on a server without authentication. */
  readonly nkeySeed?: string;
  readonly caFile?: string;
  /** Default 1. */
  readonly replicas?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Makes what is missing of a tenant's streams: log, its heads, liveness, journal. Existing ones stay as they are.
 * @returns their names.
 * @throws HermesError `log_unavailable` or `not_allowed` when the server is out of reach or does not permit it.
 */
export async function initNatsStreams(options: InitStreamsOptions): Promise<readonly string[]> {
  const { tenant, replicas, clock } = options;
  const own = { name: 'init', component: 'ops', inboxPrefix: OPS_INBOX, fault: () => undefined };
  const line = await openLine({ ...options, ...own });
  try {
    const manager = await createJet(line).manager();
    const plans = [logPlan, headsPlan, livePlan, journalPlan].map((plan) => plan(tenant, replicas));
    for (const plan of plans) await ensureStream(manager, plan, true, clock);
    return plans.map(({ name }) => name);
  } finally {
    await line.close();
  }
}
