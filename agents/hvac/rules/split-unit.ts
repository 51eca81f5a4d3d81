import { CONFIDENCE, RANGES } from '../config.js';
import { MODE } from '../equipment.js';
import type { Look, Rule } from './rule.js';

const CALL = ['mode', 'room_temperature', 'temperature_setpoint'] as const;

/** What the controller has to want: by its mode, and in AUTO by the side on which the room is. */
function calls(look: Look): 'cool' | 'heat' | undefined {
  const mode = look.number('mode');
  const above = look.number('room_temperature') - look.number('temperature_setpoint');
  if ((mode === MODE.COOL || mode === MODE.AUTO) && above > RANGES.callK) return 'cool';
  if (mode === MODE.HEAT && above < -RANGES.callK) return 'heat';
  if (mode === MODE.AUTO && above < -RANGES.callK - RANGES.changeoverK) return 'heat';
  return undefined;
}

const isOff = (look: Look): string | undefined =>
  look.number('mode') === MODE.OFF ? 'switched off: mode OFF' : undefined;

/** Temperature drop of the air over the evaporator, K. */
const drop = (look: Look): number => look.number('return_air_temperature') - look.number('supply_air_temperature');

/** Fan, compressor and evaporator of a split unit (signatures of domain facts §1.6). */
export const SPLIT_UNIT_RULES: readonly Rule[] = [
  {
    /** The indoor fan runs in every mode but OFF; no proof of it: open-fdd CMD-1. */
    name: 'SPLIT-FAN',
    fault: 'fan_failure',
    kind: 'split_unit',
    severity: 'high',
    confidence: CONFIDENCE.said,
    points: ['mode', 'fan_status'],
    optional: ['compressor_status'],
    unless: isOff,
    shows: (look) => !look.is('fan_status'),
  },
  {
    /**
     * The room is away from the set-point in the mode's direction and the compressor stands. It also stands for 3 to
     * 5 minutes after each stop (minimum off time, §1.6): of one after a new set-point the rule knows, of others not.
     */
    name: 'SPLIT-COMPRESSOR',
    fault: 'compressor_not_running',
    kind: 'split_unit',
    severity: 'high',
    confidence: CONFIDENCE.transient,
    points: [...CALL, 'compressor_status'],
    unless: (look) => isOff(look) ?? (calls(look) ? undefined : 'nothing is called for'),
    rests: 'compressor',
    shows: (look) => !look.is('compressor_status'),
  },
  {
    /** Return less supply below 6 K while it cools: low charge, compressor or coil (§1.6, normal 8–12 K). */
    name: 'SPLIT-DT',
    fault: 'low_evaporator_delta_t',
    kind: 'split_unit',
    severity: 'medium',
    confidence: CONFIDENCE.transient,
    points: [...CALL, 'compressor_status', 'fan_status', 'return_air_temperature', 'supply_air_temperature'],
    unless: (look) => {
      if (!look.is('compressor_status')) return 'the compressor does not run';
      const cools = look.number('mode') === MODE.COOL || (look.number('mode') === MODE.AUTO && calls(look) === 'cool');
      return cools ? undefined : 'it does not cool';
    },
    shows: (look) => drop(look) < RANGES.evaporatorMinK,
    underWay: (first, last) =>
      drop(last) - drop(first) > RANGES.airMovesK ? 'the evaporator is still getting cold' : undefined,
  },
];
