import { HermesError } from '../shared/errors.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Metrics } from '../shared/telemetry/metrics.js';
import { decodeMessage } from './protocol/codec.js';
import type { BusMessage } from './transport/index.js';

/**
 * Reads what is heard and not answered: events, beats, answers. What nobody can read is one log line and one count,
 * and no failure of who listens.
 * @param read throws HermesError for a message that says nothing.
 */
export function readHeard<T>(
  { logger, metrics }: { readonly logger: Logger; readonly metrics: Metrics },
  component: string,
  { subject, payload }: BusMessage,
  read: (raw: Record<string, unknown>) => T,
): T | undefined {
  try {
    return read(decodeMessage(payload).message);
  } catch (thrown) {
    if (!(thrown instanceof HermesError)) throw thrown;
    const { reason, message: detail } = thrown;
    metrics.count('mcpRejected', { component, reason });
    logger.warn({ subject, reason, detail }, 'message refused');
    return undefined;
  }
}
