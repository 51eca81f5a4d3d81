import type { Clock } from '../shared/clock.js';
import { type FieldProblem, HermesError, invalidParams } from '../shared/errors.js';
import type { DeviceModel } from './devices/device-model.js';
import {
  FAULT_KINDS,
  type Fault,
  type FaultKind,
  type FaultParams,
  type FaultRequest,
  isActive,
  isFaultKind,
} from './faults.js';

export interface FaultBoard {
  /** @throws HermesError `invalid_params` naming the field. */
  add(request: FaultRequest, deviceKind: string): Fault;
  list(device?: string): Fault[];
  remove(faultId: string): void;
  clear(): void;
  /** Brings every device up to now: beginnings and ends of faults that fell due, each at its own instant. */
  settle(): void;
  /** Faults of a kind that act on a device now. */
  active(device: string, kind: FaultKind): Fault[];
  /** The device has got over these kinds: what of them had begun is over. */
  overcome(device: string, kinds: readonly FaultKind[]): void;
}

interface Entry {
  readonly fault: Fault;
  begun: boolean;
}

/** Faults on the clock, without timers: what falls due is caught up with, in order, before anybody looks. */
export function createFaultBoard(deps: { clock: Clock; modelOf: (device: string) => DeviceModel }): FaultBoard {
  const { clock, modelOf } = deps;
  let entries: Entry[] = [];
  let count = 0;
  const tell = ({ fault }: Entry, active: boolean, at: number): void => {
    if (FAULT_KINDS[fault.kind].layer === 'device') modelOf(fault.device).fault(fault.kind, active, at, fault.params);
  };
  const settle = (): void => {
    const now = clock.now();
    for (let entry = nextDue(entries, now); entry; entry = nextDue(entries, now)) {
      if (!entry.begun) {
        entry.begun = true;
        tell(entry, true, entry.fault.from_unix_ms);
        continue;
      }
      entries = entries.filter((other) => other !== entry);
      tell(entry, false, entry.fault.until_unix_ms ?? now);
    }
  };
  const drop = (gone: Entry): void => {
    entries = entries.filter((entry) => entry !== gone);
    if (gone.begun) tell(gone, false, clock.now());
  };
  return {
    add(request, deviceKind) {
      settle();
      const kind = checkRequest(request, deviceKind, modelOf(request.device));
      const from = clock.now() + (request.after_ms ?? 0);
      const fault: Fault = {
        fault_id: `fault-${++count}`,
        device: request.device,
        kind,
        params: { ...request.params },
        from_unix_ms: from,
        ...(request.for_ms === undefined ? {} : { until_unix_ms: from + request.for_ms }),
      };
      entries.push({ fault, begun: false });
      settle();
      return fault;
    },
    list(device) {
      settle();
      return entries.map(({ fault }) => fault).filter((fault) => device === undefined || fault.device === device);
    },
    remove(faultId) {
      settle();
      const entry = entries.find(({ fault }) => fault.fault_id === faultId);
      if (!entry) throw new HermesError('not_found', `no fault ${faultId}`, { fault_id: faultId });
      drop(entry);
    },
    clear() {
      entries = [];
    },
    settle,
    active: (device, kind) =>
      entries
        .map(({ fault }) => fault)
        .filter((fault) => fault.device === device && fault.kind === kind && isActive(fault, clock.now())),
    overcome(device, kinds) {
      for (const entry of entries.filter(({ fault, begun }) => begun && fault.device === device)) {
        if (kinds.includes(entry.fault.kind)) drop(entry);
      }
    },
  };
}

/** The earliest beginning or end that is due. */
function nextDue(entries: readonly Entry[], now: number): Entry | undefined {
  const dueAt = ({ fault, begun }: Entry): number => (begun ? (fault.until_unix_ms ?? Infinity) : fault.from_unix_ms);
  let earliest: Entry | undefined;
  for (const entry of entries) {
    if (dueAt(entry) <= now && (!earliest || dueAt(entry) < dueAt(earliest))) earliest = entry;
  }
  return earliest;
}

function checkRequest(request: FaultRequest, deviceKind: string, model: DeviceModel): FaultKind {
  const { kind, params = {}, after_ms = 0, for_ms = 0 } = request;
  const problems: FieldProblem[] = [];
  const known = isFaultKind(kind);
  if (!known) problems.push({ pointer: '/kind', problem: `unknown; one of ${Object.keys(FAULT_KINDS).join(', ')}` });
  else if (!model.faultKinds.includes(kind)) {
    problems.push({
      pointer: '/kind',
      problem: `not built for a ${deviceKind}, which supports ${model.faultKinds.join(', ')}`,
    });
  } else problems.push(...checkParams(kind, params, model));
  if (!(after_ms >= 0 && Number.isFinite(after_ms))) problems.push({ pointer: '/after_ms', problem: 'expected ≥ 0' });
  if (!(for_ms >= 0 && Number.isFinite(for_ms))) problems.push({ pointer: '/for_ms', problem: 'expected ≥ 0' });
  if (!known || problems.length > 0) throw invalidParams('the fault is not accepted', problems);
  return kind;
}

function checkParams(kind: FaultKind, params: FaultParams, model: DeviceModel): FieldProblem[] {
  const { required, optional }: { required: readonly string[]; optional: readonly string[] } = FAULT_KINDS[kind];
  const missing = required.filter((name) => params[name] === undefined);
  const unknown = Object.keys(params).filter((name) => !required.includes(name) && !optional.includes(name));
  return [
    ...missing.map((name) => ({ pointer: `/params/${name}`, problem: `${kind} needs it` })),
    ...unknown.map((name) => ({ pointer: `/params/${name}`, problem: `${kind} has no such parameter` })),
    ...rangeProblems(kind, params),
    ...placeProblems(kind, params, model),
  ];
}

function rangeProblems(kind: FaultKind, params: FaultParams): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const range = (name: string, low: number, high: number): void => {
    const value = params[name];
    if (value === undefined) return;
    const list = name === 'fc' && Array.isArray(value) ? value : [value];
    if (list.length > 0 && list.every((one) => typeof one === 'number' && one >= low && one <= high)) return;
    problems.push({ pointer: `/params/${name}`, problem: `expected a number ${low}–${high}` });
  };
  if (kind === 'delay') range('ms', 0, 600_000);
  if (kind === 'exception') range('code', 1, 255);
  range('fc', 1, 127);
  if (kind === 'voltage_sag') range('pct', 0, 100);
  if (kind === 'phase_loss' && params.phase !== undefined && ![1, 2, 3].includes(params.phase as number)) {
    problems.push({ pointer: '/params/phase', problem: 'expected 1, 2 or 3' });
  }
  return problems;
}

/** Where on the device: a unit that it has, a point that can hang. */
function placeProblems(kind: FaultKind, params: FaultParams, model: DeviceModel): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const units = model.units.length > 1 ? ['main', 'comm', 'both'] : ['main'];
  if (params.unit !== undefined && !units.includes(String(params.unit))) {
    problems.push({ pointer: '/params/unit', problem: `expected ${units.join(', ')}` });
  }
  const { point } = params;
  if (kind === 'stuck' && point !== undefined && !model.stuckPoints.includes(String(point))) {
    problems.push({ pointer: '/params/point', problem: `expected ${model.stuckPoints.join(', ')}` });
  }
  return problems;
}
