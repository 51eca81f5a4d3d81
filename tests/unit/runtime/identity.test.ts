import { describe, expect, test } from 'vitest';
import { createIdentify } from '../../../agents/runtime/tools/index.js';
import type { Device, DeviceAccess, PointValue } from '../../../shared/device.js';
import { HermesError } from '../../../shared/errors.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { siteFixture } from '../../support/site-fixture.js';

const [first] = siteFixture.devices;
const device = { ...(first as Device), identity: { model: 7, serial: 9 } };

/** Access that answers with these values, or not at all. */
function bench(told: Readonly<Record<string, number | null>> | undefined) {
  const clock = new VirtualClock();
  let reads = 0;
  const read: DeviceAccess['read'] = async (_device, points) => {
    reads++;
    if (!told) throw new HermesError('tool_failed', 'no answer');
    return points.map(
      (point): PointValue => ({
        point,
        value: told[point] ?? null,
        quality: told[point] === null ? { status: 'bad', reason: 'timeout' } : { status: 'good' },
        source_time_unix_ms: clock.now(),
      }),
    );
  };
  const never = async (): Promise<never> => Promise.reject(new Error('not for identities'));
  const identify = createIdentify({ read, write: never, fence: never, release: never }, clock);
  return { clock, identify, reads: () => reads };
}

describe('which device it is', () => {
  test('one that is the declared one is asked again after a minute', async () => {
    const { clock, identify, reads } = bench({ model: 7, serial: 9 });
    for (let n = 0; n < 3; n++) await identify(device);
    expect(reads()).toBe(1);
    await clock.advance(60_000);
    await identify(device);
    expect(reads()).toBe(2);
  });

  test('another one is named with what it says, each time', async () => {
    const { identify, reads } = bench({ model: 7, serial: 8 });
    for (let n = 0; n < 2; n++) {
      await expect(identify(device)).rejects.toMatchObject({
        reason: 'wrong_target',
        data: { declared: { model: 7, serial: 9 }, found: { model: 7, serial: 8 } },
      });
    }
    expect(reads()).toBe(2);
  });

  test('one value that is wrong is enough, whatever cannot be read', async () => {
    await expect(bench({ model: 6, serial: null }).identify(device)).rejects.toMatchObject({ reason: 'wrong_target' });
  });

  test('what says nothing stops nothing, and is not taken for the right one', async () => {
    for (const { identify, reads } of [bench(undefined), bench({ model: 7, serial: null })]) {
      await identify(device);
      await identify(device);
      expect(reads()).toBe(2);
    }
  });

  test('a device without a declared identity is not asked', async () => {
    const { identify, reads } = bench(undefined);
    const { identity: _none, ...plain } = device;
    await identify(plain);
    expect(reads()).toBe(0);
  });

  test('whoever gives up waiting hears of that', async () => {
    const { identify } = bench(undefined);
    await expect(identify(device, AbortSignal.abort())).rejects.toThrow('no answer');
  });
});
