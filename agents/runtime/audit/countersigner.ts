import { isCountersigned, lastToken, sourceToken, subjects } from '../../../mcp/index.js';
import type { Log, LogRecord } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { SigningKey } from '../../../shared/keys/index.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { entryHash, readEntry, type Vault } from '../record/index.js';
import { countersign, type Head, headBytes, readCountersignature, readHead } from './head.js';
import { digestOf } from './signed-statement.js';

export interface CountersignerDeps {
  readonly log: Log;
  readonly heads: Log;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signing: SigningKey;
  /** Told of a head that is not of what the log holds: one of the two was forged, or the log has lost entries. */
  readonly mismatch: (head: Head, problem: string) => Promise<void>;
}

/** Heads before the last own countersignature that are looked at again after a restart. */
const LOOK_BACK = 256;

/**
 * Countersigns heads of other components: each is checked against the newest entry of its scope, read from the log and
 * opened here. A scope that has gone on in the meantime is left to its next head. Nothing is countersigned twice, and
 * never a head older than one that was.
 */
export function startCountersigning(
  deps: CountersignerDeps,
  { tenant, name }: { readonly tenant: string; readonly name: string },
): { stop(): Promise<void> } {
  const { log, heads, vault, clock, logger, signing } = deps;
  const check = async (head: Head): Promise<string | 'fits' | 'has gone on'> => {
    const record = await log.last(subjects.log(tenant, head.component, head.scope));
    if (!record) return 'the log has no entry of this scope';
    const { hash, n, seq, ...entry } = await readEntry(vault, record);
    if (seq > head.seq) return 'has gone on';
    if (seq < head.seq) return `the log's newest entry is ${n} (sequence ${seq})`;
    const fits = n === head.n && hash === head.hash && entryHash({ ...entry, n }) === hash;
    return fits ? 'fits' : 'the entry at this sequence is another';
  };
  const take = async ({ subject, payload }: LogRecord): Promise<void> => {
    const writer = sourceToken(subject);
    if (writer === name || isCountersigned(subject)) return;
    const head = readHead(payload);
    const { component, scope } = head;
    if (head.tenant !== tenant || component !== writer || scope !== lastToken(subject)) {
      return deps.mismatch(head, `it stands under ${subject}`);
    }
    const own = subjects.countersigned(tenant, name, component, scope);
    const before = await heads.last(own);
    const said = before && readCountersignature(before.payload);
    if (said?.head === digestOf(head)) return;
    if (said && (said.n > head.n || (said.n === head.n && said.hash !== head.hash))) {
      return deps.mismatch(head, `entry ${said.n} with hash ${said.hash} was countersigned before`);
    }
    const found = await check(head);
    if (found === 'has gone on') return;
    if (found !== 'fits') return deps.mismatch(head, found);
    await heads.append(own, headBytes(countersign(signing, name, head, Math.round(clock.now()))));
  };
  /** A head that cannot be checked does not keep the next one back; its scope's next head is checked again. */
  const handle = (record: LogRecord): Promise<void> =>
    take(record).catch((error: unknown) => {
      const over = error instanceof HermesError && (error.reason === 'instance_lost' || error.reason === 'not_ready');
      if (!over) logger.warn({ err: error, subject: record.subject }, 'a head could not be checked');
    });
  const tail = (async () => {
    const last = await heads.headSeq(subjects.countersignaturesBy(tenant, name));
    return heads.tail(subjects.heads(tenant), Math.max(1, last - LOOK_BACK), handle);
  })();
  tail.catch((error: unknown) => logger.error({ err: error }, 'heads are not countersigned'));
  return { stop: async () => (await tail.catch(() => undefined))?.stop() };
}
