import { AIR } from './air-handling.js';
import type { PlantLayout } from './plant-layout.js';
import { type AhuState, type BoxState, mapped, type PlantState, SPLIT_MODE, type SplitState } from './plant-state.js';
import { decide } from './plant-step.js';
import { energized } from './supply.js';

/** Everything runs, every zone is at its set-point: close to where a summer day holds it. */
export const INITIAL = { zoneC: 22, supplyC: 13, splitSetpointC: 24, damper: 0.75, fanSpeed: 0.8 } as const;

export function initialPlant(layout: PlantLayout, at: number): PlantState {
  const state: PlantState = {
    at,
    outdoorShiftK: 0,
    zones: mapped(layout.zones, () => INITIAL.zoneC),
    boxes: mapped(layout.boxes, () => BOX),
    ahus: mapped(layout.ahus, () => AHU),
    splits: mapped(layout.splits, () => ({ ...SPLIT, compressorSince: at - 3_600_000 })),
    circuits: mapped(layout.circuits, () => ({
      sag: 0,
      lostPhases: 0,
      closed: true,
      tripped: false,
      tripCount: 0,
    })),
    disturbances: mapped(layout.meters, () => ({ sag: 0, lostPhases: 0 })),
    live: [],
    loads: { watts: [], vars: [] },
    energiesJ: mapped(layout.meters, (_, index) => (12_000 + 1_700 * index) * 3.6e6),
  };
  return decide(layout, energized(layout, state));
}

const BOX: BoxState = {
  setpointC: INITIAL.zoneC,
  stuck: false,
  damper: INITIAL.damper,
  dischargeC: INITIAL.supplyC,
  held: { damperCommand: INITIAL.damper, airflow: 0, airflowSetpoint: 0, reheat: 0 },
};

const AHU: AhuState = {
  orders: {
    fanCommand: true,
    auto: true,
    supplySetpointC: INITIAL.supplyC,
    staticSetpointPa: AIR.nominalStaticPa,
  },
  defects: { fanDead: false, clogged: false, coolingStuckAt: undefined },
  speed: INITIAL.fanSpeed,
  supplyC: INITIAL.supplyC,
  held: {
    running: true,
    speedTarget: INITIAL.fanSpeed,
    supplyTargetC: INITIAL.supplyC,
    returnC: INITIAL.zoneC,
    mixedC: INITIAL.zoneC,
    staticPa: AIR.nominalStaticPa,
    filterPa: 0,
    airflow: 0,
    cooling: 0,
    heating: 0,
    outdoorDamper: AIR.minOutdoor,
  },
};

const SPLIT: SplitState = {
  mode: SPLIT_MODE.AUTO,
  setpointC: INITIAL.splitSetpointC,
  fanDead: false,
  clogged: false,
  fan: true,
  compressor: 'off',
  compressorSince: 0,
  airflow: 0,
  supplyC: INITIAL.zoneC,
  supplyTargetC: INITIAL.zoneC,
};
