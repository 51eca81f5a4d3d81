/**
 * Figures of this house for planning work, where no standard gives any. A site that keeps its own times of repair
 * changes them here.
 */
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export const PLANNING = {
  /** Time set aside for a job, minutes: by the severity of its first finding, else by its priority. */
  minutes_by_severity: { low: 30, medium: 60, high: 120 },
  minutes_by_priority: { low: 60, normal: 60, high: 90, urgent: 120 },
  /** Work that does not begin at once begins on a full quarter of an hour, ms. */
  begins_on_ms: 15 * MINUTE,
  /** How far ahead a free time is looked for, ms. */
  horizon_ms: 14 * DAY,
  /** Completed and cancelled orders stay in memory for this long, ms; the others as long as they are open. */
} as const;

/** Trade that looks after a kind of device, or after a zone, when neither the caller nor a finding names skills. */
export const SKILLS_BY_KIND: Readonly<Record<string, readonly string[]>> = {
  zone: ['hvac'],
  ahu: ['hvac'],
  vav: ['hvac'],
  split_unit: ['hvac'],
  plc: ['plc'],
  meter: ['power'],
  breaker: ['power'],
};
