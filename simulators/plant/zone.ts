import { outdoorDay } from './outdoor.js';
import type { PlantLayout } from './plant-layout.js';
import { mapped, type PlantState } from './plant-state.js';
import { type Moment, momentOf, type OneMass, type Sine, sineResponse } from './rc.js';

/** Heat that one m³/h of air carries for each kelvin, W/K: 1.2 kg/m³ · 1005 J/(kg·K) / 3600 s. */
export const AIR_W_PER_K = (1.2 * 1005) / 3600;

/** A zone of size 1, a light office with its furniture; a zone with two boxes has twice of all. */
export const ZONE_DEFAULTS = {
  capacityJPerK: 1.2e6,
  /** Through the walls to outdoors, W/K. */
  wallsWPerK: 40,
  /** People, light, machines, W. */
  gainW: 2000,
} as const;

/** The equation of a zone while its streams of air are held: one mass, the sine that drives it, a constant heat. */
export interface ZoneEquation extends OneMass, Sine {
  readonly heatW: number;
}

/**
 * C·dT/dt = Gw·(To − T) + q + Σ Gi·(Ti − T) put as one mass: G = Gw + Σ Gi, driven by To weighted with Gw/G, and the
 * heat q + Σ Gi·Ti. `streamsWPerK` is Σ Gi, `streamsW` is Σ Gi·Ti.
 */
export function zoneEquation(size: number, day: Sine, streamsWPerK: number, streamsW: number): ZoneEquation {
  const walls = ZONE_DEFAULTS.wallsWPerK * size;
  const weight = walls / (walls + streamsWPerK);
  return {
    capacityJPerK: ZONE_DEFAULTS.capacityJPerK * size,
    conductanceWPerK: walls + streamsWPerK,
    mean: day.mean * weight,
    amplitude: day.amplitude * weight,
    omega: day.omega,
    phase: day.phase,
    heatW: ZONE_DEFAULTS.gainW * size + streamsW,
  };
}

/** Temperature of a zone at `to`, its streams held since `from` (Unix milliseconds): the closed form, for tests. */
export const zoneCourse = (equation: ZoneEquation, fromC: number, from: number, to: number): number =>
  sineResponse(
    equation,
    fromC,
    equation,
    equation.heatW,
    momentOf(equation, from / 1000),
    momentOf(equation, to / 1000),
  );

/** Equation of a zone of the plant from the instant of the state on, until something is decided anew. */
export function equationOf(layout: PlantLayout, state: PlantState, index: number, day: Sine): ZoneEquation {
  const zone = layout.zones[index];
  let wPerK = 0;
  let watts = 0;
  for (const at of zone?.boxes ?? []) {
    const box = state.boxes[at];
    if (!box) continue;
    wPerK += box.held.airflow * AIR_W_PER_K;
    watts += box.held.airflow * AIR_W_PER_K * box.dischargeC;
  }
  for (const at of zone?.splits ?? []) {
    const split = state.splits[at];
    if (!split) continue;
    wPerK += split.airflow * AIR_W_PER_K;
    watts += split.airflow * AIR_W_PER_K * split.supplyC;
  }
  return zoneEquation(zone?.size ?? 1, day, wPerK, watts);
}

/** Every zone's temperature at `to` (Unix milliseconds), what was decided at `state.at` held. */
export function glideZones(layout: PlantLayout, state: PlantState, to: number): readonly number[] {
  const day = outdoorDay(state.outdoorShiftK);
  const begin: Moment = momentOf(day, state.at / 1000);
  const end: Moment = momentOf(day, to / 1000);
  return mapped(state.zones, (fromC, index) => {
    const equation = equationOf(layout, state, index, day);
    return sineResponse(equation, fromC, equation, equation.heatW, begin, end);
  });
}
