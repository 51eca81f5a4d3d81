import type { Clock } from '../../shared/clock.js';
import { openDeadline, raceSignal } from '../../shared/deadline.js';
import { HermesError, toHermesError } from '../../shared/errors.js';
import type { Transport, TransportPart } from './transport.js';

/** Whether one part works, and why not. */
export type PartHealth = { readonly ok: true } | { readonly ok: false; readonly error: string };

export type TransportHealth = Readonly<Record<TransportPart, PartHealth>>;

/** A part that says nothing for so long does not work: whoever asks for health has little patience. */
const PATIENCE_MS = 2_000;

/**
 * Asks each part by itself, at once: the bus by a flush (over NATS to the server and back), the log by a read at its
 * leader, presence by its connection. A log that is down leaves the bus well. Never rejects.
 * @param pattern subjects of the log that may be read here.
 */
export async function transportHealth(
  { bus, log, away }: Transport,
  clock: Clock,
  pattern: string,
): Promise<TransportHealth> {
  const deadline = openDeadline(clock, clock.now() + PATIENCE_MS);
  const probe = async (part: TransportPart, work: () => Promise<unknown>): Promise<PartHealth> => {
    try {
      if (away.includes(part)) throw new HermesError('not_ready', `the connection for ${part} is down`);
      await raceSignal(work(), deadline.signal);
      return { ok: true };
    } catch (thrown) {
      const { reason, message } = toHermesError(thrown);
      return {
        ok: false,
        error: reason === 'deadline' ? `the ${part} gives no answer within ${PATIENCE_MS / 1_000} s` : message,
      };
    }
  };
  try {
    const [onBus, onLog, present] = await Promise.all([
      probe('bus', () => bus.flush()),
      probe('log', () => log.headSeq(pattern)),
      probe('presence', async () => undefined),
    ]);
    return { bus: onBus, log: onLog, presence: present };
  } finally {
    deadline.close();
  }
}
