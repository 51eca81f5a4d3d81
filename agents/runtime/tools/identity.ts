import type { Clock } from '../../../shared/clock.js';
import type { Device, DeviceAccess } from '../../../shared/device.js';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';

/**
 * Whether what answers at a device's address is that device: a unit that was exchanged, or wired to another link,
 * answers just as well. One that was the right one a minute ago still is. What cannot be read says nothing, and stops
 * nothing: whether the device is there is the write's own question.
 * @throws HermesError `wrong_target` with the values `declared` and `found`.
 */
export type Identify = (device: Device, signal?: AbortSignal) => Promise<void>;

export function createIdentify(devices: DeviceAccess, clock: Clock): Identify {
  const sureUntil = new Map<string, number>();
  return async (device, signal) => {
    const { id, identity } = device;
    if (!identity || (sureUntil.get(id) ?? 0) > clock.now()) return;
    const names = Object.keys(identity);
    const values = await devices.read(device, names, signal ? { signal } : {}).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      return [];
    });
    const found = values.flatMap(({ point, value, quality }) =>
      quality.status === 'good' && typeof value === 'number' ? [[point, value] as const] : [],
    );
    const odd = found.filter(([point, value]) => identity[point] !== value);
    if (odd.length > 0) {
      const what = odd.map(([point, value]) => `${point} is ${value}, declared ${identity[point]}`).join(', ');
      throw new HermesError('wrong_target', `what answers as ${id} is another device: ${what}`, {
        device_id: id,
        declared: identity,
        found: Object.fromEntries(found),
        suggestion: `look at the wiring of ${device.link} unit ${device.unit}, or change \`identity\` in the site file`,
      });
    }
    if (found.length === names.length) sureUntil.set(id, clock.now() + LIMITS.identityMs);
  };
}
