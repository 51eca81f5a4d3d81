import { HermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How long a snapshot stays in the hot view; `null` for ever. */
export interface Life {
  readonly ms: number | null;
  /**
   * What it is counted from, where that is not the writing: `closed` does not begin while the draft says `open`, or
   * says nothing.
   */
  readonly from?: 'closed';
}
const life = (ms: number | null, from?: Life['from']): Life => ({ ms, ...(from ? { from } : {}) });

/** By scope; the longest prefix counts. A kind without a row is refused. */
export const RETENTION: Readonly<Record<string, Life>> = {
  device_inspection_: life(90 * DAY),
  user_session_: life(7 * DAY),
  user_profile_: life(180 * DAY),
  work_order_: life(90 * DAY, 'closed'),
  device_: life(24 * HOUR),
  report_: life(30 * DAY),
  goal_: life(90 * DAY, 'closed'),
  zone_: life(24 * HOUR),
  status_: life(24 * HOUR),
  meter_: life(24 * HOUR),
  inventory_: life(24 * HOUR),
  diagnosis_: life(24 * HOUR),
  supply_: life(24 * HOUR),
  audit_: life(null),
  link_: life(null),
  request_: life(null),
  timetable_: life(null),
  alarm_: life(null),
  hold_: life(null),
};

/** What a site says otherwise: prefix, `report_`, and ms or `null`. */
export type RetentionPolicy = Readonly<Record<string, number | null>>;

/** The table with what the site says otherwise; a site cannot add kinds. */
export interface Retention {
  /** @throws HermesError `internal` for a kind without a row: nothing is written there. */
  of(scope: Scope): Life;
  /** When a snapshot that is written now ends; an operation's own `ms` counts before the table. */
  expiryOf(scope: Scope, at: number, own?: { ms?: number | null; open?: boolean }): { expires_at?: string };
}

export function createRetention(policy: RetentionPolicy = {}): Retention {
  const rows = Object.entries(RETENTION)
    .map(([prefix, row]) => {
      const ms = Object.hasOwn(policy, prefix) ? policy[prefix] : undefined;
      return [prefix, ms === undefined ? row : { ...row, ms }] as const;
    })
    .sort(([a], [b]) => b.length - a.length);
  const of: Retention['of'] = (scope) => {
    const row = rows.find(([prefix]) => scope.startsWith(prefix));
    if (row) return row[1];
    throw new HermesError('internal', `no retention rule for scope ${scope}: nothing is remembered there`, {
      scope,
      suggestion: 'add a row for its kind to agents/runtime/record/retention.ts',
    });
  };
  return {
    of,
    expiryOf(scope, at, own = {}) {
      const { ms, from } = of(scope);
      const standard = from === 'closed' && own.open !== false ? null : ms;
      const chosen = own.ms === undefined ? standard : own.ms;
      return chosen === null ? {} : { expires_at: new Date(at + chosen).toISOString() };
    },
  };
}
