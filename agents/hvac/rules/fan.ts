import { CONFIDENCE, G36, RANGES } from '../config.js';
import { MODE } from '../equipment.js';
import type { Look, Rule } from './rule.js';

/** Points that say whether an air handler is told to run. */
export const CALL = ['mode', 'fan_command'] as const;

/**
 * Why nothing is asked of a fan: it is not told to run. Guideline 36 asks while the fan runs; here also while it
 * should, so that what a dead fan leads to is named as such.
 */
export function fanIsOff(look: Look): string | undefined {
  if (look.number('mode') === MODE.OFF) return 'switched off: mode OFF';
  return look.is('fan_command') ? undefined : 'switched off: no fan command';
}

/** A fan that speeds up: pressure, airflow and supply air follow it. */
export const speedsUp = (first: Look, last: Look): string | undefined =>
  last.number('fan_speed') - first.number('fan_speed') > RANGES.speedMovesPercent
    ? 'the fan is speeding up'
    : undefined;

const noPressure = (look: Look): boolean => look.number('duct_static_pressure') < G36.staticErrorPa;

/** The supply fan of an air handler. */
export const FAN_RULES: readonly Rule[] = [
  {
    /** Told to run, no proof, and no pressure that would be one: open-fdd CMD-1, with εDSP of G36 as the threshold. */
    name: 'FAN-PROOF',
    fault: 'fan_failure',
    kind: 'ahu',
    severity: 'high',
    confidence: (look) => (look.has('duct_static_pressure') ? CONFIDENCE.proven : CONFIDENCE.likely),
    points: [...CALL, 'fan_status'],
    optional: ['duct_static_pressure', 'fan_speed'],
    unless: fanIsOff,
    shows: (look) => !look.is('fan_status') && (!look.has('duct_static_pressure') || noPressure(look)),
  },
  {
    /** Told to run, no proof, and the duct is under pressure: then the proof is what is broken (open-fdd CMD-1). */
    name: 'FAN-PROOF-SENSOR',
    fault: 'sensor_fault',
    kind: 'ahu',
    severity: 'medium',
    confidence: CONFIDENCE.likely,
    points: [...CALL, 'fan_status', 'duct_static_pressure'],
    unless: fanIsOff,
    shows: (look) => !look.is('fan_status') && !noPressure(look),
  },
  {
    /** G36 5.16.14 FC1: DSP < DSPSP − εDSP with the fan at full speed. */
    name: 'G36-FC1',
    fault: 'fan_low_static',
    kind: 'ahu',
    severity: 'medium',
    confidence: CONFIDENCE.transient,
    points: [...CALL, 'duct_static_pressure', 'duct_static_setpoint', 'fan_speed'],
    unless: fanIsOff,
    shows: (look) =>
      look.number('duct_static_pressure') < look.number('duct_static_setpoint') - G36.staticErrorPa &&
      look.number('fan_speed') >= G36.fanFullPercent,
    underWay: (first, last) => {
      const rises = last.number('duct_static_pressure') > first.number('duct_static_pressure');
      return rises ? 'the static pressure is rising' : speedsUp(first, last);
    },
  },
];
