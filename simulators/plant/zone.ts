import { outdoorDay } from './outdoor.js';
import type { PlantLayout, ZoneLayout } from './plant-layout.js';
import type { PlantState } from './plant-state.js';
import { type OneMass, type Sine, sineResponse } from './rc.js';

/** Heat that one m³/h of air carries for each kelvin, W/K: 1.2 kg/m³ · 1005 J/(kg·K) / 3600 s. */
export const AIR_W_PER_K = (1.2 * 1005) / 3600;

/** A zone of size 1: 25 kW·s/K is a light office with its furniture; a zone with two boxes has twice of all. */
export const ZONE_DEFAULTS = {
  capacityJPerK: 1.2e6,
  /** Through the walls to outdoors, W/K. */
  wallsWPerK: 40,
  /** People, light, machines, W. */
  gainW: 2000,
} as const;

/** One stream of air into a zone: what it carries for each kelvin, and its temperature. */
export interface Stream {
  readonly wPerK: number;
  readonly temperatureC: number;
}

/** The equation of a zone while its streams are held: one mass with one driving sine and a constant heat. */
export interface ZoneEquation {
  readonly mass: OneMass;
  readonly driving: Sine;
  readonly heatW: number;
}

/**
 * C·dT/dt = Gw·(To − T) + q + Σ Gi·(Ti − T) put as one mass: G = Gw + Σ Gi, driven by To weighted with Gw/G; the rest
 * of the constant terms is heat.
 */
export function zoneEquation(size: number, outdoorShiftK: number, streams: readonly Stream[]): ZoneEquation {
  const walls = ZONE_DEFAULTS.wallsWPerK * size;
  let total = walls;
  let heatW = ZONE_DEFAULTS.gainW * size;
  for (const { wPerK, temperatureC } of streams) {
    total += wPerK;
    heatW += wPerK * temperatureC;
  }
  const day = outdoorDay(outdoorShiftK);
  const weight = walls / total;
  return {
    mass: { capacityJPerK: ZONE_DEFAULTS.capacityJPerK * size, conductanceWPerK: total },
    driving: { ...day, mean: day.mean * weight, amplitude: day.amplitude * weight },
    heatW,
  };
}

/** Temperature at `to` of a zone that was at `fromC` at `from` (Unix milliseconds), its streams held: exact. */
export const zoneCourse = ({ mass, driving, heatW }: ZoneEquation, fromC: number, from: number, to: number): number =>
  sineResponse(mass, fromC, driving, heatW, from / 1000, to / 1000);

/** What blows into a zone. */
export const streamsInto = (zone: ZoneLayout, { boxes, splits }: PlantState): Stream[] => [
  ...zone.boxes.map((index) => {
    const box = boxes[index];
    return { wPerK: (box?.airflow ?? 0) * AIR_W_PER_K, temperatureC: box?.dischargeC ?? 0 };
  }),
  ...zone.splits.map((index) => {
    const split = splits[index];
    return { wPerK: (split?.airflow ?? 0) * AIR_W_PER_K, temperatureC: split?.supplyC ?? 0 };
  }),
];

/** Every zone's temperature at `to`, what was decided at `state.at` held. */
export const glideZones = (layout: PlantLayout, state: PlantState, to: number): number[] =>
  layout.zones.map((zone, index) => {
    const equation = zoneEquation(zone.size, state.outdoorShiftK, streamsInto(zone, state));
    return zoneCourse(equation, state.zones[index] ?? 0, state.at, to);
  });
