import type { Clock } from '../shared/clock.js';
import type { FaultBoard } from './fault-board.js';
import { concernsCode } from './faults.js';
import { EXCEPTION, isRefusal, type ModbusRequest, type Refusal, type WritePart } from './modbus-pdu.js';
import type { SimDevice } from './sim-device.js';

/** One client's connection to a link: what it declared, and whether it is dead without knowing. */
export interface LinkConnection {
  readonly link: string;
  /** Fencing token declared on this connection, by device. */
  readonly epochs: Map<string, number>;
  dead: boolean;
}

/** What becomes of a request: swallowed, or answered after a while by values or an exception. */
export interface Verdict {
  readonly silent: boolean;
  readonly device?: string;
  readonly delayMs: number;
  readonly reply: { readonly values: readonly number[] } | Refusal;
}

export interface RequestRules {
  receive(connection: LinkConnection, unit: number, request: ModbusRequest): Verdict;
  isDead(connection: LinkConnection): boolean;
  deviceAt(link: string, unit: number): SimDevice | undefined;
}

interface Deps {
  readonly clock: Clock;
  readonly devices: ReadonlyMap<string, SimDevice>;
  readonly board: FaultBoard;
}

/** The order in which faults, fence and device decide about a request. */
export function createRequestRules({ clock, devices, board }: Deps): RequestRules {
  const deviceAt = (link: string, unit: number): SimDevice | undefined =>
    [...devices.values()].find((device) => device.spec.link === link && device.model.units.includes(unit));
  const isDead = (connection: LinkConnection): boolean => {
    board.settle();
    const onLink = [...devices.values()].filter(({ spec }) => spec.link === connection.link);
    if (onLink.some(({ spec }) => board.active(spec.id, 'half_open').length > 0)) connection.dead = true;
    return connection.dead;
  };
  const apply = (device: SimDevice, connection: LinkConnection, unit: number, request: ModbusRequest) => {
    const { model, spec } = device;
    const now = clock.now();
    const write = request.write ?? maskedWrite(device, unit, request, now);
    if (write && isRefusal(write)) return write;
    if (write) {
      const refusal = touchesFence(write, model.fenceRegister)
        ? declare(device, connection, request, now)
        : fenced(device, connection, now);
      if (refusal) return refusal;
      const lost = board.active(spec.id, 'silent_write').length > 0;
      if (!touchesFence(write, model.fenceRegister) && !lost) {
        const failed = model.write(unit, write, now);
        if (failed) return failed;
        board.overcome(spec.id, model.overcome(now));
      }
    }
    if (!request.read) return { values: write?.values ?? [] };
    const values = model.read(unit, request.read, now);
    return isRefusal(values) ? values : { values };
  };
  return {
    deviceAt,
    isDead,
    receive(connection, unit, request) {
      const nothing = { values: [] };
      if (isDead(connection)) return { silent: true, delayMs: 0, reply: nothing };
      const device = deviceAt(connection.link, unit);
      if (!device) return { silent: false, delayMs: 0, reply: { exception: EXCEPTION.gatewayTargetSilent } };
      const { id } = device.spec;
      const delayMs = board
        .active(id, 'delay')
        .filter(({ params }) => concernsCode(params, request.fc))
        .reduce((sum, { params }) => sum + Number(params.ms), 0);
      const refusal = forcedException(device, unit, request, board);
      return { silent: false, device: id, delayMs, reply: refusal ?? apply(device, connection, unit, request) };
    },
  };
}

function forcedException(
  device: SimDevice,
  unit: number,
  request: ModbusRequest,
  board: FaultBoard,
): Refusal | undefined {
  const asked = unit === device.spec.unit ? 'main' : 'comm';
  const fault = board.active(device.spec.id, 'exception').find(({ params }) => {
    const reach = params.unit ?? 'main';
    return (reach === 'both' || reach === asked) && concernsCode(params, request.fc);
  });
  return fault && { exception: Number(fault.params.code) };
}

/** FC16 on the whole pair declares a token: not older than the device's, or exception 3. */
function declare(
  device: SimDevice,
  connection: LinkConnection,
  request: ModbusRequest,
  now: number,
): Refusal | undefined {
  const { model, spec } = device;
  const [high, low, ...more] = request.write?.values ?? [];
  const whole = request.fc === 16 && request.write?.address === model.fenceRegister && more.length === 0;
  if (!whole || high === undefined || low === undefined) return { exception: EXCEPTION.illegalValue };
  const epoch = high * 0x1_0000 + low;
  if (epoch < model.fence(now)) return { exception: EXCEPTION.illegalValue };
  model.setFence(epoch, now);
  connection.epochs.set(spec.id, epoch);
  return undefined;
}

/** A connection that declared an older token than the device has heard since may write no more. */
function fenced({ model, spec }: SimDevice, connection: LinkConnection, now: number): Refusal | undefined {
  const declared = connection.epochs.get(spec.id);
  return declared !== undefined && declared < model.fence(now) ? { exception: EXCEPTION.illegalValue } : undefined;
}

function maskedWrite(
  device: SimDevice,
  unit: number,
  request: ModbusRequest,
  now: number,
): WritePart | Refusal | undefined {
  if (!request.mask) return undefined;
  const { address, and, or } = request.mask;
  const current = device.model.read(unit, { table: 'holding', address, count: 1 }, now);
  if (isRefusal(current)) return current;
  return { table: 'holding', address, values: [((current[0] ?? 0) & and) | (or & ~and & 0xffff)] };
}

const touchesFence = (write: WritePart, register: number): boolean =>
  write.table === 'holding' && write.address <= register + 1 && write.address + write.values.length > register;
