import type { Clock } from '../../../shared/clock.js';
import { openDeadline } from '../../../shared/deadline.js';
import type { DeviceAccess } from '../../../shared/device.js';
import { toHermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { type RecordBook, scopes, type View } from '../record/index.js';
import type { OwnedKey } from './keys.js';

export interface FenceDeps {
  readonly record: RecordBook;
  readonly view: View;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly devices: DeviceAccess;
}

/**
 * Shuts out an owner that was taken for dead and may only have stood still, before the new one's first act: an `owned`
 * entry on the scope of each device, so that a claim on the head from before it fails; the log applied to its head; the
 * token told to each device with a fence register, which then refuses older ones. A device that does not answer now is
 * told with the first write to it.
 */
export async function fenceOff(
  deps: FenceDeps,
  key: OwnedKey,
  owner: { readonly instance: string; readonly epoch: number },
): Promise<void> {
  const { record, view, devices, logger } = deps;
  await Promise.all(
    key.devices.map(({ id }) => record.append(scopes.device(id), { kind: 'owned', data: { ...owner, key: key.id } })),
  );
  await view.catchUp();
  const limit = openDeadline(deps.clock, deps.clock.now() + LIMITS.fenceMs);
  try {
    // One after another: a link serves one request at a time.
    for (const device of key.devices) {
      if (limit.signal.aborted) break;
      await devices.fence(device, owner.epoch, { signal: limit.signal }).catch((thrown: unknown) => {
        const { reason, message } = toHermesError(thrown);
        logger.info({ device: device.id, reason, detail: message }, 'a device was not told its new owner yet');
      });
    }
  } finally {
    limit.close();
  }
}
