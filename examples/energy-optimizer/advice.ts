import { RULES } from './rules-of-thumb.js';

/** What could be read of a zone; null is what could not. */
export interface ZoneReadings {
  readonly setpoint_c: number;
  readonly zone_c: number | null;
  /** Air that comes in. */
  readonly supply_c: number | null;
  readonly airflow_m3h: number | null;
  readonly outdoor_c: number | null;
}

/** Why the advice is as it is; the first two change a set-point. */
export const BASES = [
  'cooling',
  'heating',
  'at_limit',
  'free_cooling',
  'idle',
  'not_holding',
  'not_enough_known',
] as const;
export type Basis = (typeof BASES)[number];

export interface Advice {
  readonly advised_setpoint_c: number;
  /** Of the energy that cools or heats this zone's air. */
  readonly saving_pct: number;
  readonly basis: Basis;
}

/** The set-point that costs less, within the rules of thumb; the present one where they promise nothing. */
export function advise(readings: ZoneReadings): Advice {
  const { setpoint_c } = readings;
  const stay = (basis: Basis): Advice => ({ advised_setpoint_c: setpoint_c, saving_pct: 0, basis });
  const doing = doingOf(readings);
  if (doing !== 'cooling' && doing !== 'heating') return stay(doing);
  const sign = doing === 'cooling' ? 1 : -1;
  const limit = doing === 'cooling' ? RULES.cooling_limit_c : RULES.heating_limit_c;
  if (((readings.zone_c ?? setpoint_c) - setpoint_c) * sign > RULES.holding_k) return stay('not_holding');
  const change_k = Math.min(RULES.step_k, (limit - setpoint_c) * sign);
  if (change_k <= 0) return stay('at_limit');
  const per_k = doing === 'cooling' ? RULES.cooling_pct_per_k : RULES.heating_pct_per_k;
  return {
    advised_setpoint_c: tenths(setpoint_c + change_k * sign),
    saving_pct: tenths(change_k * per_k),
    basis: doing,
  };
}

/** What the air that comes in does to the zone. */
function doingOf({ zone_c, supply_c, airflow_m3h, outdoor_c }: ZoneReadings): Basis {
  if (airflow_m3h === 0) return 'idle';
  if (zone_c === null || supply_c === null || airflow_m3h === null) return 'not_enough_known';
  if (Math.abs(supply_c - zone_c) < RULES.neutral_k) return 'idle';
  if (supply_c > zone_c) return 'heating';
  // Air from outside that is colder than what is blown in costs nothing to cool.
  return outdoor_c !== null && outdoor_c < supply_c ? 'free_cooling' : 'cooling';
}

export const tenths = (value: number): number => Math.round(value * 10) / 10;
