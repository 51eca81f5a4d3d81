import { HermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Default life of a snapshot by scope, longest prefix first; `null` never expires. A kind without a row is refused. */
export const RETENTION: readonly (readonly [prefix: string, ms: number | null])[] = [
  ['device_inspection_', 90 * DAY],
  ['user_session_', 7 * DAY],
  ['user_profile_', 180 * DAY],
  ['work_order_', 90 * DAY],
  ['device_', 24 * HOUR],
  ['report_', 30 * DAY],
  ['goal_', 90 * DAY],
  ['zone_', 24 * HOUR],
  ['status_', 24 * HOUR],
  ['meter_', 24 * HOUR],
  ['inventory_', 24 * HOUR],
  ['diagnosis_', 24 * HOUR],
  ['supply_', 24 * HOUR],
  ['audit_', null],
  ['link_', null],
  ['request_', null],
  ['timetable_', null],
  ['alarm_', null],
  ['hold_', null],
];

export function expiryOf(scope: Scope, at: number, ms?: number | null): { expires_at?: string } {
  const row = RETENTION.find(([prefix]) => scope.startsWith(prefix));
  if (!row) throw new HermesError('internal', `no retention rule for scope ${scope}`);
  const life = ms === undefined ? row[1] : ms;
  return life === null ? {} : { expires_at: new Date(at + life).toISOString() };
}
