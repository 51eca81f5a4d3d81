/**
 * The plant at one instant. What is commanded and what is broken changes by events only; temperatures, positions,
 * speeds and energies glide; the rest is what the controllers decided last and is held until they decide again.
 */
export interface PlantState {
  /** Instant that the state is true for, Unix milliseconds. */
  readonly at: number;
  /** Beside the summer day that the plant has anyway, K. */
  readonly outdoorShiftK: number;
  /** Temperature of each zone, °C. */
  readonly zones: readonly number[];
  readonly boxes: readonly BoxState[];
  readonly ahus: readonly AhuState[];
  readonly splits: readonly SplitState[];
  readonly circuits: readonly CircuitState[];
  /** What disturbs the voltage from each meter on. */
  readonly disturbances: readonly Disturbance[];
  /** Share of the nominal voltage on the load side of each circuit; follows from the two above. */
  readonly live: readonly Phases[];
  readonly loads: Loads;
  /** What each meter has counted, J. */
  readonly energiesJ: readonly number[];
}

/** Shares are 0–1, air flows m³/h, temperatures °C; `held` is what was decided last. */
export interface BoxState {
  readonly setpointC: number;
  /** The damper does not move. */
  readonly stuck: boolean;
  readonly damper: number;
  readonly dischargeC: number;
  readonly held: {
    readonly damperCommand: number;
    readonly airflow: number;
    readonly airflowSetpoint: number;
    readonly reheat: number;
  };
}

export interface AhuState {
  readonly orders: AhuOrders;
  readonly defects: AhuDefects;
  /** Share of full speed, on its way to `held.speedTarget`. */
  readonly speed: number;
  readonly supplyC: number;
  readonly held: AhuHeld;
}

export interface AhuHeld {
  readonly running: boolean;
  readonly speedTarget: number;
  readonly supplyTargetC: number;
  readonly returnC: number;
  readonly mixedC: number;
  readonly staticPa: number;
  readonly filterPa: number;
  readonly airflow: number;
  readonly cooling: number;
  readonly heating: number;
  readonly outdoorDamper: number;
}

export interface AhuOrders {
  readonly fanCommand: boolean;
  readonly auto: boolean;
  readonly supplySetpointC: number;
  readonly staticSetpointPa: number;
}

export interface AhuDefects {
  readonly fanDead: boolean;
  readonly clogged: boolean;
  /** Share at which the cooling valve hangs. */
  readonly coolingStuckAt: number | undefined;
}

export interface SplitState {
  /** As in SPLIT_MODE. */
  readonly mode: number;
  readonly setpointC: number;
  readonly fanDead: boolean;
  readonly clogged: boolean;
  readonly fan: boolean;
  readonly compressor: 'off' | 'cooling' | 'heating';
  /** When the compressor started or stopped last, Unix milliseconds. */
  readonly compressorSince: number;
  readonly airflow: number;
  readonly supplyC: number;
  readonly supplyTargetC: number;
}

/** What is wrong with the voltage from a place on. */
export interface Disturbance {
  /** What is missing of the voltage, 0–1. */
  readonly sag: number;
  /** Phases that are gone: bit k for phase k. */
  readonly lostPhases: number;
}

/** A breaker, and what disturbs the voltage from it on. */
export interface CircuitState extends Disturbance {
  readonly closed: boolean;
  readonly tripped: boolean;
  readonly tripCount: number;
}

/** Loads of every circuit and of what it feeds: three numbers for each, by phase. */
export interface Loads {
  readonly watts: readonly number[];
  readonly vars: readonly number[];
}

export type Phases = readonly [number, number, number];

export const SPLIT_MODE = { OFF: 0, AUTO: 1, COOL: 2, HEAT: 3, FAN: 4 } as const;

/** The list with one element replaced. */
export const replaced = <Item>(list: readonly Item[], index: number, change: (item: Item) => Item): readonly Item[] =>
  mapped(list, (item, at) => (at === index ? change(item) : item));

/**
 * As `list.map`, made by one loop: the arrays of a state are of one kind inside, which the steps of a virtual day live
 * by (the built-in makes packed and holey arrays by turns, and everything that reads them is compiled again).
 */
export function mapped<Item, Result>(
  list: readonly Item[],
  of: (item: Item, index: number) => Result,
): readonly Result[] {
  const results: Result[] = [];
  for (let index = 0; index < list.length; index++) results.push(of(list[index] as Item, index));
  return results;
}

export const clamp = (value: number, low = 0, high = 1): number => Math.min(high, Math.max(low, value));
