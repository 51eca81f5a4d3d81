import { lastToken, subjects } from '../../../mcp/index.js';
import type { Log } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';
import type { SigningKey } from '../../../shared/keys/index.js';
import { LIMITS } from '../../../shared/limits.js';
import { createLines } from '../../../shared/lines.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { StoredEntry, View } from '../record/index.js';
import { type Head, headBytes, readHead, signHead } from './head.js';

/**
 * Signs the newest entries of this component's scopes: a minute after the first change, and when it is asked.
 *  1. Nothing changed, nothing to do: no timer runs.
 *  2. Heads come in rounds, oldest entry first, so that after a crash the last round says from where to go on.
 *  3. The instance that wrote an entry signs it; a sibling does when that one has not done so for another minute.
 */
export interface HeadsKeeper {
  /** Signs what has changed, and the scope; @throws HermesError `log_unavailable`; `not_found` without an entry. */
  sign(scope: Scope): Promise<SignedHead>;
  /** Takes up what an earlier life left unsigned, and goes on from then. */
  start(): void;
  /** Signs what is left, as far as the log is there. */
  stop(): Promise<void>;
}

export interface SignedHead {
  readonly head: Head;
  /** Its sequence in the heads. */
  readonly seq: number;
}

export interface HeadsDeps {
  readonly log: Log;
  readonly heads: Log;
  readonly view: View;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signing: SigningKey;
}

export interface HeadsOptions {
  readonly tenant: string;
  /** Component name. */
  readonly name: string;
  readonly instance: string;
}

/** Scopes that are signed at once; a minute's changes may be many, and are not all held in memory. */
const AT_ONCE = 64;
const ONE_LINE = 'heads';
/** Heads that are looked at first for where an earlier life stopped. */
const LOOK_BACK = 1_024;

interface Change {
  /** Of the newest entry that was heard of. */
  readonly seq: number;
  /** How often its writer was waited for. */
  readonly waited: number;
}

export function createHeadsKeeper(deps: HeadsDeps, { tenant, name, instance }: HeadsOptions): HeadsKeeper {
  const { log, heads, view, clock, logger, signing } = deps;
  /** Scopes without a head for their newest entry. */
  const changed = new Map<Scope, Change>();
  const lines = createLines();
  const over = new AbortController();
  let waiting = false;
  let listening: { stop(): void } | undefined;

  const put = async (entry: StoredEntry): Promise<SignedHead> => {
    const head = signHead(signing, { tenant, component: name }, entry, Math.round(clock.now()));
    const { seq } = await heads.append(subjects.head(tenant, name, entry.scope), headBytes(head));
    return { head, seq };
  };
  const hasHead = async (entry: StoredEntry): Promise<boolean> => {
    const last = await heads.last(subjects.head(tenant, name, entry.scope));
    if (!last) return false;
    const { n, hash } = readHead(last.payload);
    return n > entry.n || (n === entry.n && hash === entry.hash);
  };
  const signOne = async (scope: Scope): Promise<void> => {
    const change = changed.get(scope);
    const entry = await view.lastEntry(scope);
    if (!change || !entry) return void changed.delete(scope);
    // A sibling that lives signs its own entries; what it has not signed at the next look it will not.
    if (entry.instance !== instance && change.waited === 0) {
      changed.set(scope, { ...change, waited: 1 });
      return;
    }
    if ((changed.get(scope)?.seq ?? 0) <= entry.seq) changed.delete(scope);
    try {
      if (entry.instance === instance || !(await hasHead(entry))) await put(entry);
    } catch (error) {
      if (!changed.has(scope)) changed.set(scope, change);
      throw error;
    }
  };
  const signAll = (): Promise<void> =>
    lines.inLine(ONE_LINE, async () => {
      const due = [...changed].sort(([, one], [, other]) => one.seq - other.seq).map(([scope]) => scope);
      for (let from = 0; from < due.length; from += AT_ONCE) {
        const ends = await Promise.allSettled(due.slice(from, from + AT_ONCE).map(signOne));
        const failed = ends.find((end) => end.status === 'rejected');
        if (failed) throw failed.reason;
      }
    });
  const note = (scope: Scope, seq: number): void => {
    changed.set(scope, { seq, waited: changed.get(scope)?.waited ?? 0 });
    goOn();
  };
  const goOn = (): void => {
    if (waiting || over.signal.aborted || changed.size === 0) return;
    waiting = true;
    void round();
  };
  /** Never rejects. */
  const round = async (): Promise<void> => {
    try {
      await clock.sleep(LIMITS.headsEveryMs, over.signal);
      waiting = false;
      await signAll();
    } catch (error) {
      waiting = false;
      if (over.signal.aborted) return;
      if (error instanceof HermesError && error.reason === 'instance_lost') return over.abort();
      logger.warn({ err: error, scopes: changed.size }, 'heads could not be signed; they are tried again');
    }
    goOn();
  };
  /** The oldest entry of the last round: what that one did not come to is newer. */
  const lastRound = async (): Promise<number> => {
    const own = subjects.headsOf(tenant, name);
    const newest = await heads.headSeq(own);
    for (let back = LOOK_BACK; newest > 0; back *= 16) {
      const found: Head[] = [];
      for await (const { payload } of heads.read(own, { fromSeq: Math.max(1, newest - back) }))
        found.push(readHead(payload));
      const since = (found.at(-1)?.at ?? 0) - LIMITS.headsEveryMs;
      if (back < newest && (found[0]?.at ?? 0) >= since) continue;
      return Math.min(...found.filter(({ at }) => at >= since).map(({ seq }) => seq));
    }
    return 0;
  };
  const takeUp = async (): Promise<void> => {
    const fromSeq = (await lastRound()) + 1;
    for await (const { subject, seq } of log.read(subjects.logOf(tenant, name), { fromSeq })) {
      note(lastToken(subject) as Scope, seq);
    }
  };
  return {
    async sign(scope) {
      await signAll();
      const entry = await view.lastEntry(scope);
      if (!entry) throw new HermesError('not_found', `there is no entry of ${scope}`, { scope });
      return put(entry);
    },
    start() {
      listening = view.onEntry((entry) => note(entry.scope, entry.seq));
      takeUp().catch((error: unknown) => {
        if (!over.signal.aborted) logger.warn({ err: error }, 'what an earlier life left unsigned is not known');
      });
    },
    async stop() {
      listening?.stop();
      over.abort();
      await signAll().catch((error: unknown) => {
        logger.warn({ err: error, scopes: changed.size }, 'the last heads could not be signed');
      });
    },
  };
}
