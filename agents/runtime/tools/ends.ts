import type { Clock } from '../../../shared/clock.js';
import { HermesError, toHermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { EntryDraft, RecordBook, StoredEntry, View } from '../record/index.js';
import { recordableEnd } from './recordable.js';

const RETRY_MS = 200;
const RETRY_MAX_MS = 5_000;

/**
 * Last entries of operations. What was done is known here and nowhere else: an entry that the log does not take now is
 * kept and written as soon as it does, so that nobody has to ask the device what this process still knows.
 */
export interface Ends {
  /**
   * The end of an operation that began with `started` is written once, whoever ends it: the entry that was first is
   * answered. @throws HermesError `log_unavailable` when the log does not take it now; it is written later all
   * the same.
   */
  write(scope: Scope, requestId: string, draft: EntryDraft, started?: StoredEntry): Promise<StoredEntry>;
  /** The entry that is still to be written, when it is written. */
  pending(requestId: string): Promise<StoredEntry> | undefined;
}

export function createEnds(deps: { record: RecordBook; view: View; clock: Clock; logger: Logger }): Ends {
  const { record, view, clock, logger } = deps;
  const kept = new Map<string, Promise<StoredEntry>>();

  /** The entry, if an append that seemed to fail has arrived after all. */
  const arrived = async (scope: Scope, requestId: string): Promise<StoredEntry | undefined> => {
    const { seq } = await record.head(scope);
    await view.waitFor(seq);
    const row = await view.operation(requestId);
    return row?.finished === undefined ? undefined : view.entry(row.scope, row.finished);
  };

  const once = (scope: Scope, requestId: string, draft: EntryDraft, started?: StoredEntry): Promise<StoredEntry> =>
    started
      ? record.appendOnce(scope, draft, started.seq, () => arrived(scope, requestId))
      : record.append(scope, draft);

  const writeLater = async (
    scope: Scope,
    requestId: string,
    draft: EntryDraft,
    started?: StoredEntry,
  ): Promise<StoredEntry> => {
    for (let wait = RETRY_MS; ; wait = Math.min(RETRY_MAX_MS, wait * 2)) {
      await clock.sleep(wait);
      try {
        return (await arrived(scope, requestId)) ?? (await once(scope, requestId, draft, started));
      } catch (thrown) {
        const error = toHermesError(thrown);
        if (error.reason !== 'log_unavailable') throw error;
        logger.warn({ tag: 'RECOVERY', request_id: requestId, wait }, 'the end of an operation waits for the log');
      }
    }
  };

  return {
    async write(scope, requestId, whole, started) {
      const draft = recordableEnd(whole);
      try {
        return await once(scope, requestId, draft, started);
      } catch (error) {
        if (!(error instanceof HermesError) || error.reason !== 'log_unavailable') throw error;
        const later = writeLater(scope, requestId, draft, started).finally(() => kept.delete(requestId));
        later.catch((lost: unknown) => logger.error({ request_id: requestId, err: lost }, 'an end was not written'));
        kept.set(requestId, later);
        throw error;
      }
    },
    pending: (requestId) => kept.get(requestId),
  };
}
