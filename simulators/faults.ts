/**
 * The closed list of what can go wrong on purpose, and the parameters of each.
 *
 * `layer: 'device'` changes the device's state; `layer: 'link'` changes what happens to requests and replies.
 */
export interface FaultKindRow {
  readonly layer: 'device' | 'link';
  readonly required: readonly string[];
  readonly optional: readonly string[];
  readonly meaning: string;
}

const row = (
  layer: FaultKindRow['layer'],
  meaning: string,
  required: readonly string[] = [],
  optional: readonly string[] = [],
): FaultKindRow => ({ layer, meaning, required, optional });

export const FAULT_KINDS = {
  offline: row('device', 'the processor stops; ends by a restart, or when the fault is cleared'),
  reboot_never_ends: row('device', 'a restart stays in BOOTING for as long as the fault lasts'),
  silent_write: row('link', 'a write is acknowledged and not applied'),
  delay: row(
    'link',
    'the effect comes at once, the reply `ms` later; for some function codes only, where `fc` says so (one or a list)',
    ['ms'],
    ['fc'],
  ),
  exception: row(
    'link',
    'every request to the device’s own unit (or `unit`) is answered by exception `code`',
    ['code'],
    ['fc', 'unit'],
  ),
  half_open: row('link', 'the link swallows everything and answers nothing; its sockets stay dead afterwards'),
  late_reply: row('link', 'the reply comes after the next request'),
  split: row('link', 'a reply comes in single bytes'),
  merge: row('link', 'two replies come in one segment'),
  corrupt: row('link', 'a reply has a damaged header'),
  stuck: row('device', 'a point keeps its value whatever is written', ['point']),
  drift: row('device', 'a sensor wanders', ['point', 'per_h']),
  flatline: row('device', 'a sensor repeats one value', ['point']),
  spike: row('device', 'a sensor jumps once', ['point']),
  fan_dead: row('device', 'the fan does not turn'),
  filter_clogged: row('device', 'the filter resists'),
  refrigerant_loss: row('device', 'refrigerant is missing', ['pct']),
  valve_leak: row('device', 'a closed valve passes', ['pct']),
  voltage_sag: row('device', 'the supply is low', ['pct']),
  phase_loss: row('device', 'one phase is gone', ['phase']),
  breaker_trip: row('device', 'the breaker opens by itself'),
} as const satisfies Readonly<Record<string, FaultKindRow>>;

export type FaultKind = keyof typeof FAULT_KINDS;

export const isFaultKind = (name: string): name is FaultKind => Object.hasOwn(FAULT_KINDS, name);

export type FaultParams = Readonly<Record<string, number | string | readonly number[]>>;

/** Whether a fault is about requests of this function code; without `fc` it is about all. */
export function concernsCode(params: FaultParams, code: number): boolean {
  const { fc } = params;
  if (fc === undefined) return true;
  return Array.isArray(fc) ? fc.includes(code) : fc === code;
}

export interface FaultRequest {
  readonly device: string;
  readonly kind: string;
  readonly params?: FaultParams;
  readonly after_ms?: number;
  readonly for_ms?: number;
}

export interface Fault {
  readonly fault_id: string;
  readonly device: string;
  readonly kind: FaultKind;
  readonly params: FaultParams;
  readonly from_unix_ms: number;
  /** Absent: until it is removed. */
  readonly until_unix_ms?: number;
}

/** Whether it acts at an instant: from the first millisecond on, until before the last. */
export const isActive = (fault: Fault, at: number): boolean =>
  at >= fault.from_unix_ms && (fault.until_unix_ms === undefined || at < fault.until_unix_ms);
