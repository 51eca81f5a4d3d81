/** What one device said at one moment: the points that could be read, in engineering units. */
export interface Look {
  /** When the device said so, Unix milliseconds. */
  readonly at: number;
  readonly values: Readonly<Record<string, number | boolean>>;
  /** Points that were asked for and could not be read, with the cause. */
  readonly missing: Readonly<Record<string, string>>;
}

/** A device of the chain with everything that was seen of it. */
export interface Seen {
  readonly id: string;
  readonly looks: readonly Look[];
  /** Why it did not answer, where it did not. */
  readonly unreachable?: string;
}

/** The numbers of those of the points that the device has; undefined when one of them could not be read. */
export function numbersOf(look: Look, points: readonly string[]): readonly number[] | undefined {
  if (points.some((point) => point in look.missing)) return undefined;
  return points.map((point) => look.values[point]).filter((value): value is number => typeof value === 'number');
}

export const numberOf = (look: Look, point: string): number | undefined => {
  const value = look.values[point];
  return typeof value === 'number' ? value : undefined;
};

export const booleanOf = (look: Look, point: string): boolean | undefined => {
  const value = look.values[point];
  return typeof value === 'boolean' ? value : undefined;
};

export const PHASES = ['voltage_l1', 'voltage_l2', 'voltage_l3'] as const;
export const LINES = ['voltage_l1_l2', 'voltage_l2_l3', 'voltage_l3_l1'] as const;
export const PHASE_POWERS = ['power_l1', 'power_l2', 'power_l3'] as const;
export const DISTORTIONS = ['thd_voltage_l1', 'thd_voltage_l2', 'thd_voltage_l3'] as const;

/** What is asked of a meter and of a breaker, where the topology declares it. */
export const METER_POINTS = [
  ...PHASES,
  'current_l1',
  'current_l2',
  'current_l3',
  ...PHASE_POWERS,
  'power_total',
  'apparent_power',
  'reactive_power',
  'power_factor',
  'frequency',
  'energy_import',
  'energy_export',
  ...LINES,
  ...DISTORTIONS,
] as const;
export const BREAKER_POINTS = ['closed', 'tripped', 'current', 'trip_count', 'rated_current'] as const;
