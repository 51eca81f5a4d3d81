import { type Principal, subjects } from '../../../mcp/index.js';
import type { Log } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { HermesError, invalidParams } from '../../../shared/errors.js';
import type { SigningKey } from '../../../shared/keys/index.js';
import { LIMITS } from '../../../shared/limits.js';
import type { Memory, ReadHow } from '../memory/index.js';
import { type AccessLog, CHAIN_START, type StoredEntry, type View } from '../record/index.js';
import { type About, type PackageParts, sealPackage } from './audit-package.js';
import { goalTimelines } from './goal-timelines.js';
import { type Countersignature, type Head, readCountersignature } from './head.js';
import type { HeadsKeeper, SignedHead } from './heads-keeper.js';
import { renderCsv } from './render-csv.js';
import { renderPdf } from './render-pdf.js';
import { digestOf, sha256 } from './signed-statement.js';

export interface ExportWish {
  readonly scope: string;
  /** Unix milliseconds. The piece goes from the first entry that is not before to the last that is not after. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** A package that is ready; it is fetched from this instance, piece by piece, as messages are limited. */
export interface PreparedExport {
  readonly export_id: string;
  readonly instance: string;
  readonly bytes: number;
  readonly pieces: number;
  readonly sha256: string;
}

export interface Exports {
  /** @throws HermesError `not_found`, `scope_denied`, `invalid_params` when it is too much for one package. */
  prepare(wish: ExportWish, how: ReadHow): Promise<PreparedExport>;
  /** @returns base64. @throws HermesError `not_found` once it was given up, or for anybody who did not ask for it. */
  piece(exportId: string, index: number, principal: Principal): string;
}

export interface ExportsDeps {
  readonly heads: Log;
  readonly keeper: HeadsKeeper;
  readonly memory: Memory;
  readonly view: View;
  readonly access: AccessLog;
  readonly clock: Clock;
  readonly signing: SigningKey;
  /** Id of a new export. */
  readonly newId: () => string;
}

export interface ExportsOptions {
  readonly tenant: string;
  readonly name: string;
  readonly instance: string;
  /** Whether this component countersigns: then nobody else does it for its heads. */
  readonly countersigns: boolean;
}

const PIECE_BYTES = 524_288;
const PAGE = 500;
/** More than clocks of instances that talk to each other differ by. */
const SKEW_MS = 60_000;
/** Packages that are held at once, and for how long. */
const HELD = 4;
const HELD_MS = 120_000;
/** A coordinator that is there countersigns in milliseconds. */
const COUNTERSIGN_MS = 2_000;

export function createExports(deps: ExportsDeps, options: ExportsOptions): Exports {
  const { clock, newId, access } = deps;
  const held = new Map<string, { readonly bytes: Buffer; readonly principal: string; readonly until: number }>();
  const forget = (): void => {
    for (const [id, { until }] of held) if (until <= clock.monotonic()) held.delete(id);
    while (held.size >= HELD) held.delete(held.keys().next().value as string);
  };
  return {
    async prepare(wish, how) {
      const { scope } = await newestOf(deps, wish.scope, how);
      const signed = await deps.keeper.sign(scope);
      const parts = await gather(deps, options, wish, signed, how);
      const { range } = parts.about;
      await access.looked({
        principal: how.principal,
        what: 'audit_export',
        scope,
        facts: { from_n: range.after.n + 1, to_n: range.last_n },
      });
      const bytes = Buffer.from(sealPackage(deps.signing, parts), 'utf8');
      if (bytes.byteLength > LIMITS.auditExportBytes) throw tooMuch(`${bytes.byteLength} bytes`);
      forget();
      const export_id = newId();
      held.set(export_id, { bytes, principal: how.principal.id, until: clock.monotonic() + HELD_MS });
      const pieces = Math.ceil(bytes.byteLength / PIECE_BYTES);
      return { export_id, instance: options.instance, bytes: bytes.byteLength, pieces, sha256: sha256(bytes) };
    },
    piece(exportId, index, principal) {
      const one = held.get(exportId);
      const isHere = one && one.principal === principal.id && one.until > clock.monotonic();
      if (!isHere || index * PIECE_BYTES >= one.bytes.byteLength) {
        throw new HermesError('not_found', `no piece ${index} of an export ${exportId}`, {
          suggestion: 'ask for the export again',
        });
      }
      return one.bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES).toString('base64');
    },
  };
}

/** In its canonical spelling; rights are checked. */
async function newestOf({ memory, view }: ExportsDeps, scope: string, how: ReadHow): Promise<StoredEntry> {
  const [any] = await memory.audit(scope, { ...how, limit: 1 });
  const last = any && (await view.lastEntry(any.scope));
  if (last) return last;
  throw new HermesError('not_found', `there is no entry of ${scope}`, { scope });
}

async function gather(
  deps: ExportsDeps,
  options: ExportsOptions,
  wish: ExportWish,
  { head, seq }: SignedHead,
  how: ReadHow,
): Promise<PackageParts> {
  const { clock, view, heads } = deps;
  const { entries, after, approvals } = await pieceOf(deps, head, wish, how);
  const last = entries.at(-1) as StoredEntry;
  const newest = (await view.entry(last.scope, head.n)) as StoredEntry;
  const about: About = {
    tenant: head.tenant,
    component: head.component,
    scope: head.scope,
    instance: options.instance,
    exported_at: Math.round(clock.now()),
    exported_for: how.principal.id,
    range: {
      after,
      last_n: last.n,
      ...(wish.from === undefined ? {} : { from: wish.from }),
      ...(wish.to === undefined ? {} : { to: wish.to }),
    },
  };
  const versions = await view.snapshots(last.scope);
  const waitMs = options.countersigns ? 0 : COUNTERSIGN_MS;
  const pdf = await renderPdf(about, entries, head);
  return {
    about,
    entries,
    snapshots: versions.filter(({ version }) => version <= newest.last_version),
    approvals,
    trace: goalTimelines(entries),
    head,
    countersignatures: await countersignaturesOf({ heads, clock }, head, seq, waitMs),
    renderings: {
      csv: Buffer.from(renderCsv(entries), 'utf8').toString('base64'),
      pdf: Buffer.from(pdf).toString('base64'),
    },
  };
}

interface Piece {
  readonly entries: StoredEntry[];
  readonly after: { readonly n: number; readonly hash: string };
  readonly approvals: StoredEntry[];
}

/**
 * Entries up to the head, whole. Clocks of several instances differ: between the first and the last that fit the times,
 * every entry is in the piece. @throws HermesError `scope_denied` when the reader may not see all of each.
 */
async function pieceOf({ memory }: ExportsDeps, head: Head, wish: ExportWish, how: ReadHow): Promise<Piece> {
  const { from = 0, to = Number.POSITIVE_INFINITY } = wish;
  const entries: StoredEntry[] = [];
  const approvals: StoredEntry[] = [];
  let after = { n: 0, hash: CHAIN_START };
  let length = 0;
  for (let next = 1; next <= head.n; ) {
    const page = await memory.audit(head.scope, { ...how, fromN: next, limit: PAGE });
    if (page.length === 0) throw new HermesError('log_unavailable', `${head.scope} ends before its head`);
    for (const entry of page) {
      if (entry.n > head.n || entry.at > to + SKEW_MS) break;
      if (entry.kind === 'approval') approvals.push(entry);
      if (entries.length === 0 && entry.at < from) after = { n: entry.n, hash: entry.hash };
      else entries.push(entry);
      if (entry.at <= to) length = entries.length;
    }
    if (length > LIMITS.auditExportEntries) throw tooMuch(`${head.n} in the chain`);
    next += page.length;
    if ((page.at(-1) as StoredEntry).at > to + SKEW_MS) break;
  }
  entries.length = length;
  if (length === 0) {
    throw new HermesError('not_found', `there is no entry of ${head.scope} between these times`, {
      suggestion: 'ask for another time, or for the whole scope',
    });
  }
  const closed = entries.find((entry) => (entry.snapshot_ids?.length ?? 0) !== (entry.snapshots?.length ?? 0));
  if (!closed) return { entries, after, approvals };
  throw new HermesError('scope_denied', `${how.principal.id} may not see all of entry ${closed.n} of ${head.scope}`, {
    scope: head.scope,
    suggestion: 'a package holds whole entries: a reader of every snapshot has to ask for it',
  });
}

/** Those of this very head that are there, or come within the time. */
async function countersignaturesOf(
  { heads, clock }: { readonly heads: Log; readonly clock: Clock },
  head: Head,
  seq: number,
  waitMs: number,
): Promise<Countersignature[]> {
  const pattern = subjects.countersignaturesOf(head.tenant, head.component, head.scope);
  const digest = digestOf(head);
  const found = new Map<string, Countersignature>();
  if (waitMs === 0) return [];
  const enough = new AbortController();
  const tail = heads.tail(pattern, seq + 1, ({ payload }) => {
    const one = readCountersignature(payload);
    if (one.head !== digest) return;
    found.set(one.by, one);
    enough.abort();
  });
  await clock.sleep(waitMs, enough.signal).catch(() => undefined);
  await tail.stop();
  return [...found.values()].sort((a, b) => (a.by < b.by ? -1 : 1));
}

const tooMuch = (what: string): HermesError =>
  invalidParams(`one package has at most ${LIMITS.auditExportEntries} entries; this is ${what}`, [
    { pointer: '/params/from', problem: 'too much for one package: say a time, from and to' },
  ]);
