import { unpackValue } from '../../../mcp/index.js';
import type { Log, Store, StoreChange } from '../../../mcp/transport/index.js';
import { HermesError } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { readEntry } from './record.js';
import type { Vault } from './vault.js';
import { META, pad } from './view-rows.js';

export interface ViewStartDeps {
  readonly log: Log;
  readonly store: Store;
  readonly vault: Vault;
  readonly logger: Logger;
}

/**
 * Sequences of the log whose entries are looked for in a view before it is believed: damage in the middle of a journal
 * takes what was written last, and LevelDB passes it over in silence.
 */
const LOOKED_FOR = 4_096;

/**
 * The view's cursor. One that is ahead of its log belongs to another log, one that lacks an entry was damaged: such a
 * view is emptied, and built again from the log.
 */
export async function startingPoint(
  deps: ViewStartDeps,
  pattern: string,
  place: (key: string) => string,
): Promise<number> {
  const { store, logger } = deps;
  const bytes = await store.get(META);
  if (bytes) {
    const { cursor, problem } = await cursorOf(deps, pattern, bytes, place(META));
    if (problem === undefined) return cursor;
    logger.warn({ cursor, problem }, 'the view is built again');
  }
  const everything: StoreChange[] = [];
  for await (const [key] of store.range({ from: '', to: '\u{10ffff}' })) everything.push({ type: 'del', key });
  await store.batch(everything);
  return 0;
}

async function cursorOf(
  { log, store, vault }: ViewStartDeps,
  pattern: string,
  bytes: Uint8Array,
  place: string,
): Promise<{ cursor: number; problem?: string }> {
  let cursor = 0;
  try {
    cursor = unpackValue(vault.open(bytes, place)) as number;
  } catch (error) {
    if (error instanceof HermesError && error.data.sealed === false) return { cursor, problem: 'it cannot be read' };
    throw error;
  }
  if (cursor > (await log.headSeq(pattern))) return { cursor, problem: 'it is ahead of its log' };
  for await (const record of log.read(pattern, { fromSeq: Math.max(1, cursor - LOOKED_FOR) })) {
    if (record.seq > cursor) break;
    const key = await keyOf(vault, record);
    if (key !== undefined && (await store.get(key)) === undefined) return { cursor, problem: `it lacks ${key}` };
  }
  return { cursor };
}

/** Where a record's entry stands in a view; undefined for one that does not open, which stands nowhere. */
async function keyOf(vault: Vault, record: Parameters<typeof readEntry>[1]): Promise<string | undefined> {
  try {
    const { scope, n } = await readEntry(vault, record);
    return `e/${scope}/${pad(n)}`;
  } catch (error) {
    if (error instanceof HermesError && error.data.sealed === false) return undefined;
    throw error;
  }
}
