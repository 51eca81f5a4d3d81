import type { PlantSpec } from '../sim-device.js';

/** Who is where in the plant, by index. Made once from the devices; never changes. */
export interface PlantLayout {
  readonly zones: readonly ZoneLayout[];
  readonly boxes: readonly BoxLayout[];
  readonly ahus: readonly AhuLayout[];
  readonly splits: readonly SplitLayout[];
  /** Breakers and what hangs on them, each after the one that feeds it. */
  readonly circuits: readonly CircuitLayout[];
  readonly meters: readonly MeterLayout[];
}

export interface ZoneLayout {
  readonly id: string;
  readonly boxes: readonly number[];
  readonly splits: readonly number[];
  /** A zone with two boxes is twice as large. */
  readonly size: number;
}

export interface BoxLayout {
  readonly id: string;
  readonly zone: number;
  readonly ahu: number;
}

export interface AhuLayout {
  readonly id: string;
  readonly boxes: readonly number[];
  /** Absent: its supply never fails. */
  readonly circuit: number | undefined;
}

export interface SplitLayout {
  readonly id: string;
  readonly zone: number;
  readonly circuit: number | undefined;
  /** Phase that it hangs on, 0–2. */
  readonly phase: number;
}

export interface CircuitLayout {
  readonly id: string;
  /** Absent: the grid. */
  readonly parent: number | undefined;
  readonly loadW: number;
  /** Reactive power of that load for each watt. */
  readonly varPerW: number;
  readonly ahus: readonly number[];
  readonly splits: readonly number[];
  readonly meters: readonly number[];
}

export interface MeterLayout {
  readonly id: string;
  readonly circuit: number;
}

/** @throws RangeError naming the device whose relation leads nowhere, or back to itself. */
export function plantLayout(specs: readonly PlantSpec[]): PlantLayout {
  const of = <Kind extends PlantSpec['kind']>(kind: Kind) =>
    specs.filter((spec): spec is Extract<PlantSpec, { kind: Kind }> => spec.kind === kind);
  const [ahus, boxes, splits, meters] = [of('ahu'), of('vav'), of('split_unit'), of('meter')];
  const breakers = fedFirst(of('breaker'));
  const zoneIds = [...new Set([...boxes, ...splits].map(({ zone }) => zone))];
  const circuitOf = (spec: { readonly id: string; readonly powered_by?: string }): number | undefined =>
    spec.powered_by === undefined ? undefined : indexOf(breakers, spec.powered_by, spec.id);
  const indices = <Spec>(list: readonly Spec[], wanted: (spec: Spec) => boolean): number[] =>
    list.flatMap((spec, index) => (wanted(spec) ? [index] : []));
  return {
    zones: zoneIds.map((id) => {
      const own = indices(boxes, ({ zone }) => zone === id);
      return { id, boxes: own, splits: indices(splits, ({ zone }) => zone === id), size: Math.max(1, own.length) };
    }),
    boxes: boxes.map(({ id, zone, fed_by }) => ({ id, zone: zoneIds.indexOf(zone), ahu: indexOf(ahus, fed_by, id) })),
    ahus: ahus.map((spec) => ({
      id: spec.id,
      boxes: indices(boxes, ({ fed_by }) => fed_by === spec.id),
      circuit: circuitOf(spec),
    })),
    splits: splits.map((spec, index) => ({
      id: spec.id,
      zone: zoneIds.indexOf(spec.zone),
      circuit: circuitOf(spec),
      phase: index % 3,
    })),
    circuits: breakers.map((spec) => ({
      id: spec.id,
      parent: circuitOf(spec),
      loadW: (spec.load_kw ?? 0) * 1000,
      varPerW: varPerW(spec.power_factor ?? 0.95),
      ahus: indices(ahus, ({ powered_by }) => powered_by === spec.id),
      splits: indices(splits, ({ powered_by }) => powered_by === spec.id),
      meters: indices(meters, ({ measures }) => measures === spec.id),
    })),
    meters: meters.map(({ id, measures }) => ({ id, circuit: indexOf(breakers, measures, id) })),
  };
}

/** Reactive for each watt of active power, inductive: tan φ. */
export const varPerW = (powerFactor: number): number => Math.sqrt(1 / powerFactor ** 2 - 1);

function indexOf(list: readonly { readonly id: string }[], wanted: string, asker: string): number {
  const index = list.findIndex(({ id }) => id === wanted);
  if (index < 0) throw new RangeError(`${asker} refers to ${wanted}, which is not simulated as such`);
  return index;
}

type Fed = Extract<PlantSpec, { kind: 'breaker' }>;

/** In an order in which each stands after the one that feeds it. */
function fedFirst(breakers: readonly Fed[]): Fed[] {
  const ordered: Fed[] = [];
  for (let left = [...breakers]; left.length > 0; ) {
    const ready = left.filter((one) => !left.some(({ id }) => id === one.powered_by));
    if (ready.length === 0) throw new RangeError(`${left[0]?.id} is fed by itself`);
    ordered.push(...ready);
    left = left.filter((one) => !ready.includes(one));
  }
  return ordered;
}
