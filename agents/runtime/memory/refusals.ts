import type { Clock } from '../../../shared/clock.js';
import type { WireError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { Metrics } from '../../../shared/telemetry/metrics.js';
import type { Access, AccessLog } from '../record/index.js';

/**
 * Refusals become entries, and whoever is refused a thousand times a second does not fill the disk: within a minute
 * the same refusal is written once, a principal has so many lines, all together have so many. What has no line of its
 * own is counted, and the count is an entry too.
 */
export interface Refusals {
  /** @returns whether it has a line of its own. */
  note(access: Access, error: WireError): Promise<boolean>;
  /** Writes down the count of a minute that is over. */
  flush(): Promise<void>;
}

interface Minute {
  readonly since: number;
  readonly seen: Set<string>;
  readonly lines: Map<string, number>;
  total: number;
  /** Refusals without a line of their own, and the last of them. */
  unlisted: number;
  readonly whose: Set<string>;
  last?: WireError;
}

const SYSTEM = { id: 'system:record', roles: [] };
const WHOSE = 16;

export function createRefusals(deps: {
  readonly access: AccessLog;
  readonly clock: Clock;
  readonly metrics: Metrics;
}): Refusals {
  const { access, clock, metrics } = deps;
  const begin = (): Minute => ({
    ...{ since: Math.round(clock.now()), seen: new Set<string>(), lines: new Map<string, number>() },
    ...{ total: 0, unlisted: 0, whose: new Set<string>() },
  });
  let minute = begin();

  const hasLine = ({ principal, what, scope }: Access): boolean => {
    const same = JSON.stringify([principal.id, what, scope ?? null]);
    const own = minute.lines.get(principal.id) ?? 0;
    if (minute.seen.has(same) || own >= LIMITS.refusalsOfOne || minute.total >= LIMITS.refusalsOfAll) return false;
    minute.seen.add(same);
    minute.lines.set(principal.id, own + 1);
    minute.total += 1;
    return true;
  };

  const flush = async (): Promise<void> => {
    if (clock.now() < minute.since + LIMITS.refusalsWithinMs) return;
    const over = minute;
    minute = begin();
    if (over.unlisted === 0 || !over.last) return;
    const facts = { count: over.unlisted, since: over.since, principals: [...over.whose].sort() };
    await access.refused({ principal: SYSTEM, what: 'refusals_without_a_line', facts }, over.last);
  };

  return {
    flush,
    async note(refused, error) {
      metrics.count('memoryRefused', { what: refused.what });
      await flush();
      if (hasLine(refused)) {
        await access.refused(refused, error);
        return true;
      }
      minute.unlisted += 1;
      minute.last = error;
      if (minute.whose.size < WHOSE) minute.whose.add(refused.principal.id);
      return false;
    },
  };
}
