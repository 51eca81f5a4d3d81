/**
 * Limits of the supply, each with its source. A look lasts a moment; the standards speak of means over 3 s or 10 min
 * (IEC 61000-4-30): what stands here is told as a finding of the moment, with a confidence below one.
 */
export const SUPPLY_LIMITS = {
  /** Nominal voltage, phase to neutral and phase to phase, V (GB/T 156: 220/380 V). */
  nominal_v: 220,
  nominal_line_v: 380,
  /** GB/T 12325-2008 §4.3: single-phase 220 V, +7 % and −10 % of nominal. EN 50160 allows ±10 % for 95 % of a week. */
  single_phase: { over: 0.07, under: 0.1 },
  /** GB/T 12325-2008 §4.2: three-phase up to 20 kV, ±7 % of nominal. */
  three_phase: { over: 0.07, under: 0.07 },
  /** IEC 60947-4-1: contactors work from 85 % to 110 % of their voltage; beyond, equipment drops out or is damaged. */
  works_from: 0.85,
  works_to: 1.1,
  /** EN 50160 and IEC 61000-4-30: below 5 % of nominal the supply is interrupted. */
  interrupted: 0.05,
  /**
   * A phase counts as lost below this share of nominal while another one stands. Loads between phases hold an open
   * conductor at the middle of the other two, half of nominal; 5 % more for the meter.
   */
  phase_lost: 0.55,
  /** GB/T 15543-2008 §4.1 and EN 50160: negative over positive sequence, %; 4 % for a short time. */
  unbalance_percent: 2,
  /** NEMA MG-1 §14.36: motors are not run above this unbalance, %. */
  unbalance_stop_percent: 5,
  /** GB/T 15945-2008 §3.1: Hz from 50; EN 50160: 1 % for 99.5 % of a year. */
  nominal_hz: 50,
  frequency_hz: 0.2,
  frequency_high_hz: 0.5,
  /** GB/T 14549-1993 §4: total distortion of the voltage at 0.38 kV, %; EN 50160 allows 8 %. */
  thd_percent: 5,
  thd_high_percent: 8,
  /** Power factor of industry from 160 kVA (Rules on power-factor tariffs, 1983, §2). */
  power_factor: 0.9,
  /** The supply from which that rule holds, VA: what is small beside it is not judged, where no rating is known. */
  power_factor_from_va: 160_000,
  /** Below this share of the load a power factor says nothing. */
  low_load: 0.05,
  /** IEC 60898-1 table 7, in rated currents: no trip within the hour up to 1.13, a trip within the hour from 1.45. */
  overload: 1.13,
  overload_trips: 1.45,
  /** A meter whose parts differ from its whole by more is wired or read wrongly: P against ΣP, S² against P² + Q². */
  inconsistent: 0.01,
  inconsistent_apparent: 0.02,
  /** Above one by more than rounding. */
  power_factor_max: 1.005,
} as const;

/** When and how often the supply is looked at, ms. */
export const LOOKS = {
  /** Looks at each device; a finding has to show in each of them. */
  count: 2,
  apart_ms: 300,
  /** Meters renew their values about once a second: one that said the same twice is asked once more after this. */
  stale_after_ms: 1_200,
  /**
   * What does not answer a look within this time is unreachable; the check goes on without it. Devices of one link are
   * asked one after the other: those behind a silent one have to be waited for.
   */
  answer_ms: 3_500,
  /** Of the time of the call, kept for the judgement: a look is cut short before it. */
  kept_ms: 200,
} as const;
