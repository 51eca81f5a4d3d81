import { isDeepStrictEqual } from 'node:util';
import { openView, readEntry, type StoredEntry, type Vault, verifyChain } from '../../agents/runtime/record/index.js';
import { subjects, unpackValue } from '../../mcp/index.js';
import { createMemorySlot, type Log, type LogRecord, type Store } from '../../mcp/transport/index.js';
import { openRecordBench, type RecordBench, TENANT, WORKER } from './record-bench.js';
import { collect } from './transport-harness.js';

/** Rows that only name a snapshot: nothing in them is sealed. */
const NAMING = /^(ss|t)\//;

/** Everything in a view, opened: key to value. */
export async function rowsOf(store: Store, vault: Vault): Promise<Map<string, unknown>> {
  const rows = new Map<string, unknown>();
  for await (const [key, bytes] of store.range({ from: '', to: '\u{10ffff}' })) {
    const value = NAMING.test(key)
      ? Buffer.from(bytes).toString('hex')
      : unpackValue(vault.open(bytes, `view|${WORKER}|${key}`));
    rows.set(key, value);
  }
  return rows;
}

/** The rows that a view has which begins empty and reads the whole log. */
export async function rebuiltRows({ log, vault, clock, logger }: RecordBench): Promise<Map<string, unknown>> {
  const store = createMemorySlot('rebuilt').open();
  const view = await openView({ log, store, vault, clock, logger }, { tenant: TENANT, component: WORKER });
  await view.catchUp();
  const rows = await rowsOf(store, vault);
  await view.close();
  return rows;
}

/** @returns one line for each row that is in one and not, or otherwise, in the other. */
export function differences(found: Map<string, unknown>, expected: Map<string, unknown>): string[] {
  const keys = new Set([...found.keys(), ...expected.keys()]);
  return [...keys]
    .filter((key) => found.has(key) !== expected.has(key) || !isDeepStrictEqual(found.get(key), expected.get(key)))
    .map((key) => `row ${key}: the view ${found.has(key) ? 'says otherwise than' : 'lacks what is in'} the log`);
}

/**
 * What a data directory holds after its process died: every acknowledged line of the writer is there as it was said,
 * versions and numbers have no gap, chains verify, heads and index agree with the records, the view with a rebuild.
 * @returns what is wrong, and how many entries there are.
 */
export async function checkSurvivors(dataDir: string, acknowledged: ReadonlySet<string>) {
  const bench = await openRecordBench(dataDir);
  try {
    const { log, vault, openViewOf } = bench;
    const records = await collect(log.read(subjects.logOf(TENANT, WORKER)));
    const scopes = grouped(
      await Promise.all(records.map(async (record) => readEntry(vault, record))),
      ({ scope }) => scope,
    );
    const wrong: string[] = [...(await wrongIndexes(log, records))];
    for (const [scope, entries] of scopes) wrong.push(...wrongChain(entries).map((what) => `${scope}: ${what}`));
    const said = new Set([...scopes.values()].flat().map((e) => `${e.scope} ${e.n} ${e.last_version} ${e.hash}`));
    for (const line of acknowledged) if (!said.has(line)) wrong.push(`acknowledged and not there: ${line}`);
    const { store, view } = await openViewOf();
    await view.catchUp();
    wrong.push(...differences(await rowsOf(store, vault), await rebuiltRows(bench)));
    await view.close();
    return { wrong, entries: records.length };
  } finally {
    await bench.transport.close();
  }
}

function wrongChain(entries: readonly StoredEntry[]): string[] {
  const wrong: string[] = [];
  const broken = verifyChain(entries);
  if (broken !== undefined) wrong.push(`the chain breaks at ${broken}`);
  const versions = entries.flatMap(({ snapshots }) => (snapshots ?? []).map(({ version }) => version));
  const gap = versions.findIndex((version, at) => version !== at + 1);
  if (gap >= 0) wrong.push(`version ${versions[gap]} stands where ${gap + 1} belongs`);
  return wrong;
}

/** The head and the index of each subject against the records themselves. */
async function wrongIndexes(log: Log, records: readonly LogRecord[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const [subject, own] of grouped(records, (record) => record.subject)) {
    const indexed = (await collect(log.read(subject))).map(({ seq }) => seq);
    if (
      !isDeepStrictEqual(
        indexed,
        own.map(({ seq }) => seq),
      )
    )
      wrong.push(`${subject}: its index misses records`);
    const last = (await log.last(subject))?.seq;
    if (last !== own.at(-1)?.seq) wrong.push(`${subject}: its head is ${last}, its last record ${own.at(-1)?.seq}`);
  }
  return wrong;
}

function grouped<T>(values: readonly T[], nameOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const name = nameOf(value);
    const group = groups.get(name);
    if (group) group.push(value);
    else groups.set(name, [value]);
  }
  return groups;
}
