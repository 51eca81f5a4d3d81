import type { Device } from '../../../shared/device.js';
import type { Fault } from './faults.js';

/** Where an effect shows: on the device itself, on what it feeds with air, or on equipment of the same zone. */
type Reach = 'self' | 'fed' | 'zone';

interface Explanation {
  readonly cause: Fault;
  readonly reach: Reach;
  readonly effects: readonly Fault[];
}

export const ZONE_FAULTS: readonly Fault[] = ['zone_too_hot', 'zone_too_cold'];

/**
 * What explains what: hierarchical suppression as in Guideline 36 §5.1.19, a source that is not OK mutes the alarms of
 * its loads. Each effect stands further down in the order of faults than its cause, so that no circle can be.
 */
const EXPLANATIONS: readonly Explanation[] = [
  {
    cause: 'fan_failure',
    reach: 'self',
    effects: [
      'compressor_not_running',
      'fan_low_static',
      'low_evaporator_delta_t',
      'sat_too_high',
      'sat_too_low',
      'simultaneous_heating_cooling',
      'mixed_air_out_of_range',
    ],
  },
  { cause: 'fan_failure', reach: 'fed', effects: ['low_airflow', ...ZONE_FAULTS] },
  { cause: 'fan_failure', reach: 'zone', effects: ZONE_FAULTS },
  { cause: 'compressor_not_running', reach: 'self', effects: ['low_evaporator_delta_t'] },
  { cause: 'compressor_not_running', reach: 'zone', effects: ZONE_FAULTS },
  { cause: 'switched_off', reach: 'fed', effects: ['low_airflow', ...ZONE_FAULTS] },
  { cause: 'filter_clogged', reach: 'self', effects: ['fan_low_static'] },
  { cause: 'fan_low_static', reach: 'fed', effects: ['low_airflow', ...ZONE_FAULTS] },
  { cause: 'low_evaporator_delta_t', reach: 'zone', effects: ZONE_FAULTS },
  { cause: 'sat_too_high', reach: 'fed', effects: ['zone_too_hot'] },
  { cause: 'sat_too_low', reach: 'fed', effects: ['zone_too_cold'] },
  { cause: 'damper_stuck', reach: 'self', effects: ['low_airflow'] },
  { cause: 'damper_stuck', reach: 'zone', effects: ZONE_FAULTS },
  { cause: 'low_airflow', reach: 'zone', effects: ZONE_FAULTS },
];

/** A fault and the equipment that has it. */
export interface Placed {
  readonly fault: Fault;
  readonly device: Device;
}

const reaches = (reach: Reach, cause: Device, effect: Device): boolean => {
  if (reach === 'self') return effect.id === cause.id;
  if (reach === 'fed') return effect.fed_by === cause.id;
  return cause.zone !== undefined && effect.zone === cause.zone;
};

/** The first cause of each finding that another one explains; what is left is told. */
export function explained<T extends Placed>(findings: readonly T[]): ReadonlyMap<T, T> {
  const causeOf = (effect: T): T | undefined =>
    findings.find((cause) =>
      EXPLANATIONS.some(
        (row) =>
          row.cause === cause.fault &&
          row.effects.includes(effect.fault) &&
          reaches(row.reach, cause.device, effect.device),
      ),
    );
  const first = (finding: T): T => {
    const cause = causeOf(finding);
    return cause ? first(cause) : finding;
  };
  return new Map(findings.flatMap((finding) => (causeOf(finding) ? [[finding, first(finding)] as const] : [])));
}
