import type { Memory, ReadHow } from '../memory/index.js';
import type { AccessLog, StoredEntry } from '../record/index.js';

export interface SearchWish {
  readonly scope: string;
  readonly from_n?: number | undefined;
  readonly limit: number;
  /** Unix milliseconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Id of a principal. */
  readonly principal?: string | undefined;
  readonly goal?: string | undefined;
  readonly outcome?: string | undefined;
}

export interface FoundEntries {
  readonly entries: readonly StoredEntry[];
  /** Number to go on from; absent at the end of the chain. There may be more although nothing was found yet. */
  readonly next?: number;
}

const PAGE = 500;
/** Entries looked at for one answer: the rest is for the next. */
const LOOKED_AT = 5_000;
/** What an answer holds, well under what a message may. */
const ANSWER_BYTES = 700_000;

/** Goes on past entries that do not fit, over a bounded piece of the chain. Who reads is written down first. */
export async function searchEntries(
  { memory, access }: { readonly memory: Memory; readonly access: AccessLog },
  wish: SearchWish,
  how: ReadHow,
): Promise<FoundEntries> {
  const { scope, limit, from_n = 1 } = wish;
  const found: StoredEntry[] = [];
  let bytes = 0;
  let next = from_n;
  let noted = false;
  for (let looked = 0; looked < LOOKED_AT; ) {
    const page = await memory.audit(scope, { ...how, fromN: next, limit: PAGE });
    if (!noted) await note(access, wish, how);
    noted = true;
    for (const entry of page) {
      if (fits(entry, wish)) {
        bytes += JSON.stringify(entry).length;
        if (found.length > 0 && bytes > ANSWER_BYTES) return { entries: found, next: entry.n };
        found.push(entry);
      }
      next = entry.n + 1;
      if (found.length === limit) break;
    }
    looked += page.length;
    const isEnd = page.length < PAGE && next > (page.at(-1)?.n ?? 0);
    if (isEnd && found.length < limit) return { entries: found };
    if (found.length === limit) break;
  }
  return { entries: found, next };
}

function note(access: AccessLog, { scope, limit: _limit, ...filter }: SearchWish, how: ReadHow): Promise<void> {
  const facts = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  return access.looked({ principal: how.principal, what: 'audit_query', scope, facts });
}

function fits(entry: StoredEntry, { from, to, principal, goal, outcome }: SearchWish): boolean {
  if (from !== undefined && entry.at < from) return false;
  if (to !== undefined && entry.at > to) return false;
  if (principal !== undefined && entry.principal?.id !== principal) return false;
  if (goal !== undefined && entry.goal_id !== goal) return false;
  return outcome === undefined || entry.outcome === outcome;
}
