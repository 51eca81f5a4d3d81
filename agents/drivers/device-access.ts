import type {
  Device,
  DeviceAccess,
  LinkCallOptions,
  LinkDriver,
  OpenLink,
  Point,
  PointValue,
  RegisterWrite,
} from '../../shared/device.js';
import { HermesError, toHermesError } from '../../shared/errors.js';
import { decodeBlock, encodePoint, isBitTable, planReads, type ReadBlock } from './points.js';

/**
 * Devices by their points over link drivers: one driver a link, opened at its first use and shared by all devices
 * behind it. A block that fails costs its own points their quality, not the others theirs; but a unit that gives no
 * answer is not asked again within the same read.
 */
export function createDeviceAccess(deps: {
  readonly openLink: OpenLink;
  readonly now: () => number;
}): DeviceAccess & { close(): Promise<void> } {
  const drivers = new Map<string, LinkDriver>();
  const driverOf = (link: string): LinkDriver => {
    let driver = drivers.get(link);
    if (!driver) {
      driver = deps.openLink(link);
      drivers.set(link, driver);
    }
    return driver;
  };

  return {
    async read(device, names, options = {}) {
      const points = names.map((name) => pointOf(device, name));
      const values = new Map<string, PointValue>();
      const failures: HermesError[] = [];
      for (const [unit, group] of byUnit(device, points)) {
        let silence: HermesError | undefined;
        for (const block of planReads(group)) {
          try {
            if (silence) throw silence;
            await readBlock(driverOf(device.link), unit, block, options, deps.now, values);
          } catch (thrown) {
            const error = toHermesError(thrown, 'tool_failed');
            if (isSilence(error)) silence = error;
            failures.push(error);
            for (const point of block.points) values.set(point.name, bad(point, error, deps.now()));
          }
        }
      }
      const nothing = [...values.values()].every((value) => value.quality.status === 'bad');
      if (failures[0] && nothing) throw failures[0];
      return names.map((name) => values.get(name) as PointValue);
    },

    async write(device, name, value, options) {
      const point = pointOf(device, name);
      const unit = point.unit_id ?? device.unit;
      const words = encodePoint(point, value);
      const driver = driverOf(device.link);
      const call: LinkCallOptions = {
        ...(options.signal ? { signal: options.signal } : {}),
        ...(options.timeoutMs ? { timeoutMs: options.timeoutMs } : {}),
        ...(options.guard ? { guard: options.guard } : {}),
      };
      const fence = await declare(driver, device, unit, options.epoch, call);
      const table = isBitTable(point.table) ? 'coil' : 'holding';
      const codes = table === 'coil' ? ([5, 15] as const) : ([6, 16] as const);
      const write: RegisterWrite = {
        link: device.link,
        unit,
        function_code: words.length === 1 ? codes[0] : codes[1],
        address: point.address,
        values: words,
      };
      try {
        await driver.write({ unit, table, address: point.address, values: words }, call);
        return { write, ...(fence ? { fence } : {}) };
      } catch (thrown) {
        throw withRegisters(thrown, { write, ...(fence ? { fence_written: fence } : {}) });
      }
    },

    async fence(device, epoch, options = {}) {
      const units = new Set(device.points.map((point) => point.unit_id ?? device.unit));
      for (const unit of units) await declare(driverOf(device.link), device, unit, epoch, options);
    },

    async release(link) {
      const driver = drivers.get(link);
      drivers.delete(link);
      await driver?.close();
    },

    async close() {
      await Promise.all([...drivers.values()].map((driver) => driver.close()));
      drivers.clear();
    },
  };
}

/** The owner's token goes out before the first write of a connection; what it wrote is on the record too. */
async function declare(
  driver: LinkDriver,
  device: Device,
  unit: number,
  epoch: number | undefined,
  call: LinkCallOptions,
): Promise<RegisterWrite | undefined> {
  const register = device.fence_register;
  if (register === undefined || epoch === undefined) return undefined;
  try {
    const written = await driver.fence(unit, register, epoch, call);
    return written && { link: device.link, ...written, values: [...written.values] };
  } catch (thrown) {
    const values = [Math.floor(epoch / 0x1_0000), epoch % 0x1_0000];
    throw withRegisters(thrown, { fence: { link: device.link, unit, function_code: 16, address: register, values } });
  }
}

/** The failure with the registers of the request that met it, and of what had gone well before it. */
function withRegisters(thrown: unknown, registers: Readonly<Record<string, RegisterWrite>>): HermesError {
  const error = toHermesError(thrown, 'tool_failed');
  return new HermesError(error.reason, error.message, { ...error.data, ...registers }, { cause: error });
}

async function readBlock(
  driver: LinkDriver,
  unit: number,
  block: ReadBlock,
  options: LinkCallOptions,
  now: () => number,
  values: Map<string, PointValue>,
): Promise<void> {
  const { table, address, count } = block;
  const words = await driver.read({ unit, table, address, count }, options);
  for (const [point, value] of decodeBlock(block, words)) {
    const quality =
      value === null ? ({ status: 'bad', reason: 'not_a_number' } as const) : ({ status: 'good' } as const);
    values.set(point, { point, value, quality, source_time_unix_ms: Math.round(now()) });
  }
}

/** Nothing came from the unit in time: its other blocks would cost a time-out each. */
const isSilence = ({ data }: HermesError): boolean =>
  data.cause === 'timeout' || data.cause === 'gateway_target_silent';

const bad = (point: Point, error: HermesError, now: number): PointValue => ({
  point: point.name,
  value: null,
  quality: { status: 'bad', reason: typeof error.data.cause === 'string' ? error.data.cause : error.reason },
  source_time_unix_ms: Math.round(now),
});

function pointOf(device: Device, name: string): Point {
  const point = device.points.find((candidate) => candidate.name === name);
  if (point) return point;
  throw new HermesError('unknown_entity', `${device.id} has no point ${name}`, {
    point: name,
    candidates: device.points.map((candidate) => candidate.name),
  });
}

function byUnit(device: Device, points: readonly Point[]): Map<number, Point[]> {
  const groups = new Map<number, Point[]>();
  for (const point of points) {
    const unit = point.unit_id ?? device.unit;
    groups.set(unit, [...(groups.get(unit) ?? []), point]);
  }
  return groups;
}
