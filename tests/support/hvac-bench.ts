import type { Snapshot, ToolContext } from '../../agents/runtime/index.js';
import { openDeadline } from '../../shared/deadline.js';
import type { PointValue } from '../../shared/device.js';
import { HermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { demoSite, deviceOf, lookOf, type Said } from './hvac-looks.js';

/** How a device behaves on the wire. */
export interface Wire {
  /** Time of one read, ms. Default 2. */
  readonly readMs?: number;
  /** Every read fails with this cause. */
  readonly silent?: string;
  /** A write is acknowledged and not done. */
  readonly deaf?: boolean;
  /** A write fails. */
  readonly refuses?: boolean;
  readonly bad?: readonly string[];
}

/** A context for a tool of the HVAC agent: equipment of the demo site that behaves as told, in virtual time. */
export function hvacBench(options: { said?: Record<string, Said>; timeMs?: number; site?: Site } = {}) {
  const { said = {}, timeMs = 10_000, site = demoSite() } = options;
  const clock = new VirtualClock();
  const deadline = openDeadline(clock, clock.now() + timeMs);
  const wires = new Map<string, Wire>();
  const values = new Map<string, Record<string, PointValue>>();
  const reads: string[] = [];
  const writes: string[] = [];
  const wire = (id: string): Wire => wires.get(id) ?? {};
  const valuesOf = (id: string): Record<string, PointValue> => {
    const known = values.get(id) ?? lookOf(deviceOf(site, id), said[id], wire(id).bad);
    values.set(id, known);
    return known;
  };
  let snapshot: Partial<Snapshot> | undefined;
  const modbus: ToolContext['modbus'] = {
    async read(id, points) {
      reads.push(`${id} ${points.length}`);
      const { readMs = 2, silent } = wire(id);
      await clock.sleep(readMs, deadline.signal);
      if (silent !== undefined) throw new HermesError('tool_failed', `${id} is silent`, { cause: silent });
      return Object.fromEntries(points.map((point) => [point, valuesOf(id)[point] as PointValue]));
    },
    async write(id, point, value) {
      const { deaf, refuses } = wire(id);
      if (refuses) throw new HermesError('tool_failed', `${id} refuses`, { cause: 'exception_device', sent: true });
      writes.push(`${id}.${point} ${value}`);
      if (deaf) return;
      values.set(id, { ...valuesOf(id), [point]: { ...(valuesOf(id)[point] as PointValue), value } });
    },
  };
  const ctx = {
    site,
    clock,
    signal: deadline.signal,
    remainingMs: () => deadline.remainingMs(),
    principal: { id: 'tester', roles: ['admin'] },
    self: 'tester',
    operationId: 'op',
    logger: silentLogger,
    modbus,
    memory: { read: async () => snapshot as Snapshot | undefined, list: async () => [] },
  } as unknown as ToolContext;
  return {
    ctx,
    clock,
    reads,
    writes,
    behave: (id: string, how: Wire) => void wires.set(id, how),
    remember: (data: Snapshot['data']) => {
      snapshot = { data };
    },
    setpoint: (id: string) => valuesOf(id).temperature_setpoint?.value,
    run: <T>(work: Promise<T>): Promise<T> => clock.run(work),
  };
}
