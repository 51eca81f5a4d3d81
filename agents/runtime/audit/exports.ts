import { type Principal, subjects } from '../../../mcp/index.js';
import type { Log } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import { HermesError, invalidParams } from '../../../shared/errors.js';
import type { SigningKey } from '../../../shared/keys/index.js';
import { LIMITS } from '../../../shared/limits.js';
import type { Memory, ReadHow } from '../memory/index.js';
import { type AccessLog, CHAIN_START, type StoredEntry, type View } from '../record/index.js';
import { type About, type PackageParts, sealPackage } from './audit-package.js';
import { type GivenParts, givenApprovals, givenTimelines, NOTHING_GIVEN } from './given-parts.js';
import { goalTimelines } from './goal-timelines.js';
import { type Countersignature, type Head, readCountersignature } from './head.js';
import type { HeadsKeeper, SignedHead } from './heads-keeper.js';
import { jsonPlace } from './json-place.js';
import { renderCsv } from './render-csv.js';
import { renderPdf } from './render-pdf.js';
import { digestOf, sha256 } from './signed-statement.js';

export interface ExportWish {
  readonly scope: string;
  /** Unix milliseconds. The piece goes from the first entry that is not before to the last that is not after. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** As readings and refusals are noted. */
const WHAT = 'audit_export';

/** A package on its way: this instance has read what belongs into it. */
export interface PreparedExport {
  readonly export_id: string;
  /** The one to ask from here on. */
  readonly instance: string;
  /** Goals that its entries name: whoever knows more of them may give it. */
  readonly goals: readonly string[];
}

/** A package that is ready; it is fetched piece by piece, as messages are limited. */
export interface SealedExport {
  readonly bytes: number;
  readonly pieces: number;
  readonly sha256: string;
}

export interface Exports {
  /** @throws HermesError `not_found`, `scope_denied`, `invalid_params` when it is too much for one package. */
  prepare(wish: ExportWish, how: ReadHow): Promise<PreparedExport>;
  /**
   * Renders and signs; again, it is the same package. @param by name of the component that gives.
   * @throws HermesError `not_found` once it was given up, or for anybody who did not ask for it.
   */
  seal(exportId: string, principal: Principal, given?: GivenParts, by?: string): Promise<SealedExport>;
  /** @returns base64. @throws HermesError `not_found`, also before it is sealed. */
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

type Gathered = Omit<PackageParts, 'renderings'>;

interface Held {
  readonly parts: Gathered;
  readonly principal: string;
  readonly until: number;
  sealing?: Promise<Buffer>;
  bytes?: Buffer;
}

export function createExports(deps: ExportsDeps, options: ExportsOptions): Exports {
  const { clock, newId, access } = deps;
  const held = new Map<string, Held>();
  const hold = (parts: Gathered, principal: string): string => {
    for (const [id, { until }] of held) if (until <= clock.monotonic()) held.delete(id);
    while (held.size >= HELD) held.delete(held.keys().next().value as string);
    const id = newId();
    held.set(id, { parts, principal, until: clock.monotonic() + HELD_MS });
    return id;
  };
  const find = (exportId: string, principal: Principal): Held => {
    const one = held.get(exportId);
    if (one && one.principal === principal.id && one.until > clock.monotonic()) return one;
    throw new HermesError('not_found', `no export ${exportId}`, { suggestion: 'ask for the export again' });
  };
  return {
    async prepare(wish, how) {
      const { scope } = await newestOf(deps, wish.scope, how);
      const signed = await deps.keeper.sign(scope);
      const parts = await gather(deps, options, wish, signed, how);
      const { after, last_n } = parts.about.range;
      const facts = { from_n: after.n + 1, to_n: last_n };
      await access.looked({ principal: how.principal, what: WHAT, scope, facts });
      const goals = [...new Set(parts.entries.flatMap(({ goal_id }) => goal_id ?? []))];
      return { export_id: hold(parts, how.principal.id), instance: options.instance, goals };
    },
    async seal(exportId, principal, given = NOTHING_GIVEN, by = options.name) {
      const one = find(exportId, principal);
      one.sealing ??= sealed(deps.signing, one.parts, given, by).finally(() => {
        delete one.sealing;
      });
      one.bytes ??= await one.sealing;
      const bytes = one.bytes.byteLength;
      return { bytes, pieces: Math.ceil(bytes / PIECE_BYTES), sha256: sha256(one.bytes) };
    },
    piece(exportId, index, principal) {
      const { bytes } = find(exportId, principal);
      if (bytes && index * PIECE_BYTES < bytes.byteLength) {
        return bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES).toString('base64');
      }
      throw new HermesError('not_found', `no piece ${index} of export ${exportId}`);
    },
  };
}

async function sealed(signing: SigningKey, parts: Gathered, given: GivenParts, by: string): Promise<Buffer> {
  const { about, entries, head } = parts;
  const own = new Set(parts.approvals.map(({ hash }) => hash));
  const approvals = givenApprovals(given, about.tenant).filter(({ hash }) => !own.has(hash));
  const pdf = await renderPdf(about, entries, head);
  const whole = sealPackage(signing, {
    ...parts,
    approvals: [...parts.approvals, ...approvals],
    trace: [...parts.trace, ...givenTimelines(given, by)],
    renderings: {
      csv: Buffer.from(renderCsv(entries), 'utf8').toString('base64'),
      pdf: Buffer.from(pdf).toString('base64'),
    },
  });
  const bytes = Buffer.from(whole, 'utf8');
  if (bytes.byteLength > LIMITS.auditExportBytes) throw tooMuch(`${bytes.byteLength} bytes`);
  // What is sealed can be verified: both have the same limits.
  const { problem } = jsonPlace(whole);
  if (problem !== undefined) throw tooMuch(problem);
  return bytes;
}

/** In its canonical spelling; rights are checked. */
async function newestOf({ memory, view }: ExportsDeps, scope: string, how: ReadHow): Promise<StoredEntry> {
  const [any] = await memory.audit(scope, { ...how, limit: 1, what: WHAT });
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
): Promise<Gathered> {
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
  return {
    about,
    entries,
    snapshots: versions.filter(({ version }) => version <= newest.last_version),
    approvals,
    trace: goalTimelines(entries, options.name),
    head,
    countersignatures: await countersignaturesOf({ heads, clock }, head, seq, waitMs),
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
async function pieceOf({ memory, access }: ExportsDeps, head: Head, wish: ExportWish, how: ReadHow): Promise<Piece> {
  const { from = 0, to = Number.POSITIVE_INFINITY } = wish;
  const entries: StoredEntry[] = [];
  const approvals: StoredEntry[] = [];
  let after = { n: 0, hash: CHAIN_START };
  let length = 0;
  for (let next = 1; next <= head.n; ) {
    const page = await memory.audit(head.scope, { ...how, fromN: next, limit: PAGE, what: WHAT });
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
  const error = new HermesError(
    'scope_denied',
    `${how.principal.id} may not see all of entry ${closed.n} of ${head.scope}`,
    {
      scope: head.scope,
      suggestion: 'a package holds whole entries: a reader of every snapshot has to ask for it',
    },
  );
  await access.refused({ principal: how.principal, what: WHAT, scope: head.scope }, error.toWire());
  throw error;
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
