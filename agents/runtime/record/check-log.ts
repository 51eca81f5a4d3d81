import { subjects } from '../../../mcp/index.js';
import type { Log } from '../../../mcp/transport/index.js';
import { toHermesError } from '../../../shared/errors.js';
import { dataKeysSubject } from './data-keys.js';
import { verifyChain } from './entry.js';
import { readEntry } from './record.js';
import type { Vault } from './vault.js';

export interface LogCheck {
  readonly records: number;
  readonly chains: number;
  /** In words: records that do not open, chains that are broken. */
  readonly problems: readonly string[];
}

/** Names at most; one broken disk breaks many. */
const NAMED = 20;

/** Opens every record of a tenant’s log and follows every chain. */
export async function checkLog(log: Log, vault: Vault, tenant: string): Promise<LogCheck> {
  const ends = new Map<string, { n: number; hash: string }>();
  const problems: string[] = [];
  let records = 0;
  const keys = dataKeysSubject(tenant);
  for await (const record of log.read(subjects.logs(tenant))) {
    records++;
    // Wrapped data keys are no entries: they have to be read before anything opens.
    if (record.subject === keys) continue;
    try {
      const entry = await readEntry(vault, record);
      const before = ends.get(record.subject);
      if (verifyChain([entry], before) !== undefined)
        problems.push(`${entry.scope}: entry ${entry.n} does not follow entry ${before?.n ?? 0}`);
      ends.set(record.subject, { n: entry.n, hash: entry.hash });
    } catch (error) {
      problems.push(`record ${record.seq} does not open: ${toHermesError(error).message}`);
    }
  }
  return { records, chains: ends.size, problems: problems.slice(0, NAMED) };
}
