import canonicalize from 'canonicalize';
import type { Scope } from '../../../shared/ids.js';
import { type Snapshot, type View, verifyChain } from '../record/index.js';
import { liveVersions } from './life.js';

/** What is wrong with the record of a scope, and from where on. */
export interface MemoryProblem {
  readonly scope: Scope;
  readonly what: 'chain' | 'versions' | 'index' | 'session_index';
  /** Of the entry, for `chain`; of the snapshot, for the others. */
  readonly at: number;
}

/**
 * Holds what memory says against what was recorded: each chain is whole, versions have no gap, and the rows of the hot
 * view are those of the entries, no more and no fewer; an expired one may be on its way out.
 */
export async function checkMemory(
  view: View,
  scopes: readonly Scope[],
  now: number,
): Promise<{ scopes: number; problems: MemoryProblem[] }> {
  const problems: MemoryProblem[] = [];
  for (const scope of scopes) problems.push(...(await checkScopeRecord(view, scope, now)));
  return { scopes: scopes.length, problems };
}

async function checkScopeRecord(view: View, scope: Scope, now: number): Promise<MemoryProblem[]> {
  const entries = await view.entries(scope);
  const broken = verifyChain(entries);
  if (broken !== undefined) return [{ scope, what: 'chain', at: broken }];
  const recorded = entries.flatMap(({ snapshots }) => snapshots ?? []);
  const gap = recorded.findIndex(({ version }, index) => version !== index + 1);
  if (gap >= 0) return [{ scope, what: 'versions', at: gap + 1 }];
  return [...(await rowProblems(view, scope, recorded, now))];
}

async function rowProblems(
  view: View,
  scope: Scope,
  recorded: readonly Snapshot[],
  now: number,
): Promise<MemoryProblem[]> {
  const problems: MemoryProblem[] = [];
  const rows = new Map((await view.snapshots(scope)).map((row) => [row.version, row]));
  const live = new Set(liveVersions(recorded, now).map(({ version }) => version));
  for (const snapshot of recorded) {
    const row = rows.get(snapshot.version);
    rows.delete(snapshot.version);
    const missing = row === undefined && live.has(snapshot.version);
    if (missing || (row && !same(row, snapshot))) problems.push({ scope, what: 'index', at: snapshot.version });
    if (!row || !live.has(snapshot.version) || snapshot.session_context_id === undefined) continue;
    const inSession = await view.bySession(snapshot.session_context_id);
    const found = inSession.find(({ snapshot_id }) => snapshot_id === snapshot.snapshot_id);
    if (!found || !same(found, snapshot)) problems.push({ scope, what: 'session_index', at: snapshot.version });
  }
  for (const version of rows.keys()) problems.push({ scope, what: 'index', at: version });
  return problems;
}

const same = (a: Snapshot, b: Snapshot): boolean => canonicalize(a) === canonicalize(b);
