import { AIR } from './air-handling.js';
import type { PlantLayout } from './plant-layout.js';
import { type AhuState, type BoxState, mapped, type PlantState, SPLIT_MODE, type SplitState } from './plant-state.js';
import { decide } from './plant-step.js';

/** Everything runs, every zone is at its set-point: close to where a summer day holds it. */
export const INITIAL = { zoneC: 22, supplyC: 13, splitSetpointC: 24, damper: 0.75, fanSpeed: 0.9 } as const;

export function initialPlant(layout: PlantLayout, at: number): PlantState {
  const state: PlantState = {
    at,
    outdoorShiftK: 0,
    zones: mapped(layout.zones, () => INITIAL.zoneC),
    boxes: mapped(layout.boxes, () => BOX),
    ahus: mapped(layout.ahus, () => AHU),
    splits: mapped(layout.splits, () => ({ ...SPLIT, compressorSince: at - 3_600_000 })),
    circuits: mapped(layout.circuits, () => ({
      closed: true,
      tripped: false,
      tripCount: 0,
      sag: 0,
      lostPhases: 0,
      live: [1, 1, 1],
      activeW: [0, 0, 0],
      reactiveVar: [0, 0, 0],
    })),
    meters: mapped(layout.meters, (_, index) => ({
      energyJ: (12_000 + 1_700 * index) * 3.6e6,
      sag: 0,
      lostPhases: 0,
    })),
  };
  return decide(layout, state);
}

const BOX: BoxState = {
  setpointC: INITIAL.zoneC,
  stuck: false,
  damper: INITIAL.damper,
  damperCommand: INITIAL.damper,
  airflow: INITIAL.damper * AIR.boxMax,
  airflowSetpoint: INITIAL.damper * AIR.boxMax,
  reheat: 0,
  dischargeC: INITIAL.supplyC,
};

const AHU: AhuState = {
  orders: {
    fanCommand: true,
    auto: true,
    supplySetpointC: INITIAL.supplyC,
    staticSetpointPa: AIR.nominalStaticPa,
  },
  defects: { fanDead: false, clogged: false, coolingStuckAt: undefined },
  running: true,
  speed: INITIAL.fanSpeed,
  speedTarget: INITIAL.fanSpeed,
  supplyC: INITIAL.supplyC,
  supplyTargetC: INITIAL.supplyC,
  returnC: INITIAL.zoneC,
  mixedC: INITIAL.zoneC,
  staticPa: AIR.nominalStaticPa,
  filterPa: 0,
  airflow: 0,
  cooling: 0,
  heating: 0,
  outdoorDamper: AIR.minOutdoor,
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
