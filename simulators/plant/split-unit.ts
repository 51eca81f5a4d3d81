import { relax } from '../devices/thermal.js';
import { SPLIT_MODE, type SplitState } from './plant-state.js';
import { AIR_W_PER_K } from './zone.js';

/** An air conditioner with a compressor that is on or off. */
export const SPLIT = {
  /** m³/h */
  airflow: 700,
  capacityW: 2400,
  /** Share of the flow and of the capacity that a clogged filter leaves. */
  cloggedFlow: 0.6,
  cloggedCapacity: 0.85,
  filterPa: 85,
  cloggedFactor: 9,
  supplyTauS: 40,
  /** Without the fan the unit takes the temperature of the room. */
  standingTauS: 400,
  /** Half of the thermostat's differential, K. */
  halfBandK: 0.5,
  /** In AUTO it heats only this far below the set-point, K. */
  autoHeatK: 2,
  /** Least time on, and least time off. */
  minCycleMs: 180_000,
  compressorW: 800,
  fanW: 60,
} as const;

export function glideSplit(split: SplitState, roomC: number, seconds: number): SplitState {
  const { mode, setpointC, fanDead, clogged, fan, compressor, compressorSince, airflow, supplyTargetC } = split;
  const tau = fan ? SPLIT.supplyTauS : SPLIT.standingTauS;
  const supplyC = relax(split.supplyC, fan ? supplyTargetC : roomC, tau, seconds);
  return { mode, setpointC, fanDead, clogged, fan, compressor, compressorSince, airflow, supplyC, supplyTargetC };
}

/** Drop over the filter, Pa. */
export const splitFilterPa = ({ airflow, clogged }: SplitState): number =>
  SPLIT.filterPa * (airflow / SPLIT.airflow) ** 2 * (clogged ? SPLIT.cloggedFactor : 1);

/** Electric power, W. */
export const splitPowerW = ({ fan, compressor }: SplitState): number =>
  (fan ? SPLIT.fanW : 0) + (compressor === 'off' ? 0 : SPLIT.compressorW);

/** What the thermostat decides at an instant. */
export function controlSplit(split: SplitState, roomC: number, powered: boolean, at: number): SplitState {
  const fan = powered && split.mode !== SPLIT_MODE.OFF && !split.fanDead;
  const wanted = fan ? demand(split, roomC) : 'off';
  const mayChange = !fan || at - split.compressorSince >= SPLIT.minCycleMs;
  const compressor = mayChange ? wanted : split.compressor;
  const airflow = fan ? SPLIT.airflow * (split.clogged ? SPLIT.cloggedFlow : 1) : 0;
  const capacity = SPLIT.capacityW * (split.clogged ? SPLIT.cloggedCapacity : 1);
  const lift = fan && compressor !== 'off' ? capacity / (airflow * AIR_W_PER_K) : 0;
  return {
    mode: split.mode,
    setpointC: split.setpointC,
    fanDead: split.fanDead,
    clogged: split.clogged,
    fan,
    compressor,
    compressorSince: compressor === split.compressor ? split.compressorSince : at,
    airflow,
    supplyC: split.supplyC,
    supplyTargetC: compressor === 'heating' ? roomC + lift : roomC - lift,
  };
}

function demand({ mode, setpointC, compressor }: SplitState, roomC: number): SplitState['compressor'] {
  const above = roomC - setpointC;
  const cools = mode === SPLIT_MODE.COOL || mode === SPLIT_MODE.AUTO;
  if (cools && above > (compressor === 'cooling' ? -SPLIT.halfBandK : SPLIT.halfBandK)) return 'cooling';
  const heats = mode === SPLIT_MODE.HEAT || mode === SPLIT_MODE.AUTO;
  const below = -above - (mode === SPLIT_MODE.AUTO ? SPLIT.autoHeatK : 0);
  return heats && below > (compressor === 'heating' ? -SPLIT.halfBandK : SPLIT.halfBandK) ? 'heating' : 'off';
}
