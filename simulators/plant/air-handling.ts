import { relax } from '../devices/thermal.js';
import { outdoorAt } from './outdoor.js';
import type { PlantLayout } from './plant-layout.js';
import { type AhuHeld, type AhuState, type BoxState, clamp, type PlantState } from './plant-state.js';
import { AIR_W_PER_K } from './zone.js';

/** An air handler with its terminal boxes. Pressures in Pa, flows in m³/h, times in seconds. */
export const AIR = {
  /** Flow of one box with its damper open, at the nominal duct pressure. */
  boxMax: 1000,
  boxMin: 250,
  nominalStaticPa: 250,
  /**
   * Pressure that the fan makes at full speed: with four boxes open (4000 m³/h) the duct's 250 Pa and 300 Pa of losses
   * take 92 % of its speed, so that a fan at its end is a sign of a defect.
   */
  fanPa: 650,
  /**
   * Drop over the clean filter (50–120 Pa, domain facts §1.6) and over coils and ducts at `ratedFlow`; both grow with
   * the square of the flow.
   */
  filterPa: 85,
  ductPa: 85,
  ratedFlow: 3000,
  /** How much more a clogged filter resists: the fan's end is reached before the usual flow. */
  cloggedFactor: 7,
  fanTauS: 15,
  supplyTauS: 120,
  /** Standing air takes the temperature around it. */
  standingTauS: 600,
  dischargeTauS: 60,
  damperStrokeS: 90,
  coolingW: 25_000,
  heatingW: 15_000,
  minOutdoor: 0.2,
  reheatK: 15,
  /** From no cooling to full cooling, around the set-point. */
  bandK: 0.6,
} as const;

/** Flow of an open damper for each root of a pascal. */
const FLOW_PER_ROOT_PA = AIR.boxMax / Math.sqrt(AIR.nominalStaticPa);

/** Position and temperature after `seconds`, what was decided held. */
export function glideBox(box: BoxState, ahu: AhuState, zoneC: number, seconds: number): BoxState {
  const { setpointC, stuck, damper, dischargeC, held } = box;
  const stroke = seconds / AIR.damperStrokeS;
  const flows = held.airflow > 0;
  const towards = flows ? ahu.supplyC + held.reheat * AIR.reheatK : zoneC;
  return {
    setpointC,
    stuck,
    damper: stuck ? damper : damper + clamp(held.damperCommand - damper, -stroke, stroke),
    dischargeC: relax(dischargeC, towards, flows ? AIR.dischargeTauS : AIR.standingTauS, seconds),
    held,
  };
}

/** Speed and temperature after `seconds`, what was decided held. */
export function glideAhu({ orders, defects, speed, supplyC, held }: AhuState, seconds: number): AhuState {
  const tau = held.airflow > 0 ? AIR.supplyTauS : AIR.standingTauS;
  return {
    orders,
    defects,
    speed: relax(speed, held.speedTarget, AIR.fanTauS, seconds),
    supplyC: relax(supplyC, held.supplyTargetC, tau, seconds),
    held,
  };
}

/**
 * What an air handler's controller decides. `powered`: its supply is good on all phases.
 *
 * Fan: the pressure that it needs is the duct's and what filter, coils and ducts take, which grows with the flow; the
 * flow is the boxes' opening × √pressure, so that with R = 1 + (filter + duct)·opening² the duct has fan pressure / R
 * (fan laws: pressure goes with the square of the speed). Coils: the valve that brings the mixture to the set-point;
 * the heating valve also answers a cooling valve that hangs open.
 */
export function controlAhu(layout: PlantLayout, state: PlantState, index: number, powered: boolean): AhuState {
  const { orders, defects, supplyC, speed: turning } = state.ahus[index] as AhuState;
  const own = layout.ahus[index]?.boxes ?? [];
  const running = powered && orders.fanCommand && orders.auto && !defects.fanDead;
  let opening = 0;
  for (const box of own) opening += (state.boxes[box]?.damper ?? 0) * FLOW_PER_ROOT_PA;
  const filter = (AIR.filterPa * (defects.clogged ? AIR.cloggedFactor : 1)) / AIR.ratedFlow ** 2;
  const resistance = 1 + (filter + AIR.ductPa / AIR.ratedFlow ** 2) * opening ** 2;
  const needed = Math.min(1, Math.sqrt((orders.staticSetpointPa * resistance) / AIR.fanPa));
  const speed = running ? turning : 0;
  const staticPa = (AIR.fanPa * speed ** 2) / resistance;
  const airflow = opening * Math.sqrt(staticPa);
  const returnC = returnOf(layout, state, own);
  const outdoorC = outdoorAt(state.outdoorShiftK, state.at);
  const outdoorDamper = running ? outdoorShare(orders.supplySetpointC, returnC, outdoorC) : 0;
  const mixedC = returnC + outdoorDamper * (outdoorC - returnC);
  const wPerK = airflow * AIR_W_PER_K;
  const excessW = (mixedC - orders.supplySetpointC) * wPerK;
  const cooling = defects.coolingStuckAt ?? (wPerK < STANDING ? 0 : clamp(excessW / AIR.coolingW));
  const heating = wPerK < STANDING ? 0 : clamp((cooling * AIR.coolingW - excessW) / AIR.heatingW);
  const held: AhuHeld = {
    running,
    speedTarget: running ? needed : 0,
    supplyTargetC: supplyTarget(wPerK, mixedC, cooling, heating),
    returnC,
    mixedC,
    staticPa,
    filterPa: filter * airflow ** 2,
    airflow,
    cooling,
    heating,
    outdoorDamper,
  };
  return { orders, defects, speed, supplyC, held };
}

/** Below this nothing flows, W/K. */
const STANDING = 1;

/** Return air: the zones' temperatures weighted by what flows through them, evenly while nothing flows. */
function returnOf(layout: PlantLayout, state: PlantState, boxes: readonly number[]): number {
  let weights = 0;
  let sum = 0;
  for (const index of boxes) {
    const weight = (state.boxes[index]?.held.airflow ?? 0) + 1e-6;
    weights += weight;
    sum += weight * (state.zones[layout.boxes[index]?.zone ?? 0] ?? 0);
  }
  return weights > 0 ? sum / weights : 22;
}

/** Free cooling: as much outdoor air as brings the mixture to the set-point, at least the minimum. */
const outdoorShare = (setpointC: number, returnC: number, outdoorC: number): number =>
  outdoorC < returnC ? clamp((returnC - setpointC) / (returnC - outdoorC), AIR.minOutdoor, 1) : AIR.minOutdoor;

/** What the coils make of the mixture; standing air takes its temperature. */
const supplyTarget = (wPerK: number, mixedC: number, cooling: number, heating: number): number =>
  wPerK < STANDING ? mixedC : clamp(mixedC - (cooling * AIR.coolingW - heating * AIR.heatingW) / wPerK, 4, 60);

/** What a box's controller decides, by the duct pressure of now. */
export function controlBox({ setpointC, stuck, damper, dischargeC }: BoxState, zoneC: number, pa: number): BoxState {
  const error = zoneC - setpointC;
  const airflowSetpoint = AIR.boxMin + (AIR.boxMax - AIR.boxMin) * clamp(0.5 + error / AIR.bandK);
  const open = FLOW_PER_ROOT_PA * Math.sqrt(pa);
  const airflow = damper * open;
  const damperCommand = open > 1 ? clamp(airflowSetpoint / open) : 1;
  const reheat = airflow > 1 ? clamp(-error - AIR.bandK / 2) : 0;
  return { setpointC, stuck, damper, dischargeC, held: { damperCommand, airflow, airflowSetpoint, reheat } };
}
