import type { Sine } from './rc.js';

const DAY_S = 86_400;
/** Warmest at 07:00 UTC, which is 15:00 where the demo site stands. */
const WARMEST_S = 7 * 3600;
const OMEGA = (2 * Math.PI) / DAY_S;

/** A summer day of 28 ± 5 °C; the time of the sine is Unix seconds. `shiftK` makes the day warmer or colder. */
export const outdoorDay = (shiftK: number): Sine => ({
  mean: 28 + shiftK,
  amplitude: 5,
  omega: OMEGA,
  phase: Math.PI / 2 - OMEGA * WARMEST_S,
});

/** Outdoor temperature at an instant, °C. */
export function outdoorAt(shiftK: number, at: number): number {
  const { mean, amplitude, omega, phase } = outdoorDay(shiftK);
  return mean + amplitude * Math.sin(omega * (at / 1000) + phase);
}
