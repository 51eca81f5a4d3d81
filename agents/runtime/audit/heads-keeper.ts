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
 *  2. Heads come in the order of their entries, so that after a crash the last head says from where to go on.
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

/** Appends on their way at once; they arrive in order. */
const AT_ONCE = 64;
const ONE_LINE = 'heads';

export function createHeadsKeeper(deps: HeadsDeps, { tenant, name, instance }: HeadsOptions): HeadsKeeper {
  const { log, heads, view, clock, logger, signing } = deps;
  /** Scopes without a head for their newest entry, and how often their writer was waited for. */
  const changed = new Map<Scope, number>();
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
  /** A sibling that lives signs its own entries; what it has not signed at the next look it will not. */
  const isMine = async (entry: StoredEntry): Promise<boolean> => {
    if (entry.instance === instance) return true;
    const waited = changed.get(entry.scope) ?? 0;
    changed.set(entry.scope, waited + 1);
    return waited > 0 && !(await hasHead(entry));
  };
  const newest = async (): Promise<StoredEntry[]> => {
    const found: StoredEntry[] = [];
    for (const scope of [...changed.keys()]) {
      const entry = await view.lastEntry(scope);
      if (entry && (await isMine(entry))) found.push(entry);
      else if (!entry || (changed.get(scope) ?? 0) > 1) changed.delete(scope);
    }
    return found.sort((a, b) => a.seq - b.seq);
  };
  const signAll = (): Promise<void> =>
    lines.inLine(ONE_LINE, async () => {
      const entries = await newest();
      for (let from = 0; from < entries.length; from += AT_ONCE) {
        await Promise.all(
          entries.slice(from, from + AT_ONCE).map(async (entry) => {
            changed.delete(entry.scope);
            await put(entry).catch((error: unknown) => {
              if (!changed.has(entry.scope)) changed.set(entry.scope, 0);
              throw error;
            });
          }),
        );
      }
    });
  const note = (scope: Scope): void => {
    if (!changed.has(scope)) changed.set(scope, 0);
    if (waiting || over.signal.aborted) return;
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
    const [next] = changed.keys();
    if (next !== undefined) note(next);
  };
  const takeUp = async (): Promise<void> => {
    const own = subjects.headsOf(tenant, name);
    let fromSeq = 1;
    for await (const { payload } of heads.read(own, { fromSeq: await heads.headSeq(own), limit: 1 })) {
      fromSeq = readHead(payload).seq + 1;
    }
    for await (const { subject } of log.read(subjects.logOf(tenant, name), { fromSeq })) {
      note(lastToken(subject) as Scope);
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
      listening = view.onEntry((entry) => note(entry.scope));
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
