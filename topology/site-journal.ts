import { openVault } from '../agents/runtime/index.js';
import { type Journal, openJournal } from '../mcp/index.js';
import type { Transport } from '../mcp/transport/index.js';
import type { SiteDoors } from './component-doors.js';
import type { Topology } from './schema.js';

const JOURNAL_ENTRIES = 200_000;

/** The journal of a site over one transport: what its components say to each other, sealed; the last 200 000. */
export async function openSiteJournal(
  { tenant }: Topology,
  { keys, nextMaster, random, clock, logger }: SiteDoors,
  { capture, log, openStore }: Transport,
): Promise<Journal> {
  const sealer = await openVault({ log, keys, random, ...(nextMaster ? { nextMaster } : {}) }, tenant);
  const store = await openStore('journal');
  return openJournal({ capture, store, sealer, clock, logger }, { tenant, maxEntries: JOURNAL_ENTRIES });
}
