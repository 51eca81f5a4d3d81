import { expect, it, test } from 'vitest';
import { createDeviceAccess } from '../../../agents/drivers/index.js';
import type { ConnectionCause, Device, LinkDriver, Point } from '../../../shared/device.js';
import { HermesError } from '../../../shared/errors.js';

const point = (name: string, address: number, unit_id?: number): Point => ({
  name,
  table: 'holding',
  address,
  type: 'uint16',
  access: 'r',
  ...(unit_id === undefined ? {} : { unit_id }),
});
const NAMES = ['a', 'b', 'c', 'comm'];
const device = {
  id: 'PLC-001',
  link: 'line-1',
  unit: 1,
  points: [point('a', 0), point('b', 500), point('c', 1_000), point('comm', 0, 101)],
} as unknown as Device;

function accessWhere(cause: ConnectionCause) {
  const asked: string[] = [];
  const driver = {
    async read({ unit, address }: { unit: number; address: number }) {
      asked.push(`${unit}/${address}`);
      if (unit === 1) throw new HermesError('tool_failed', cause, { cause });
      return [7];
    },
  } as unknown as LinkDriver;
  return { asked, access: createDeviceAccess({ openLink: () => driver, now: () => 0 }) };
}

test.each(['timeout', 'gateway_target_silent'] as const)(
  'a unit that gives no answer (%s) is asked once',
  async (cause) => {
    const { asked, access } = accessWhere(cause);
    const values = await access.read(device, NAMES);
    expect(asked).toEqual(['1/0', '101/0']);
    expect(values.map(({ quality }) => quality)).toEqual([
      ...Array.from({ length: 3 }, () => ({ status: 'bad', reason: cause })),
      { status: 'good' },
    ]);
  },
);

it('a unit that refuses a block is asked for the others', async () => {
  const { asked, access } = accessWhere('exception_permanent');
  await access.read(device, NAMES);
  expect(asked).toEqual(['1/0', '1/500', '1/1000', '101/0']);
});
