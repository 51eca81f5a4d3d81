import { type Entry, entryHash, type StoredEntry, verifyChain } from '../record/index.js';
import type { AuditPackage } from './audit-package.js';
import { type AuditFinding, findingOf } from './read-package.js';
import { digestOf } from './signed-statement.js';

/**
 * Whether what a package holds is one piece of one chain, whoever signed it: entries of this tenant, component and
 * scope, each on the hash of the one before, up to the head; snapshots, approvals and countersignatures that fit.
 */
export function checkContents(pack: AuditPackage): AuditFinding[] {
  return [...checkEntries(pack), ...checkHead(pack), ...checkRest(pack)];
}

type PackedEntry = AuditPackage['entries'][number];

const entryFinding = ({ about, entries }: AuditPackage, index: number, problem: string): AuditFinding => {
  const finding = findingOf(['entries', index], problem, about.range.after.n);
  const entry = entries[index];
  return entry === undefined || entry.n !== finding.n ? finding : { ...finding, seq: entry.seq };
};

function checkEntries(pack: AuditPackage): AuditFinding[] {
  const { about, entries } = pack;
  const { after, last_n } = about.range;
  const found: AuditFinding[] = [];
  const strange = entries.findIndex((entry) => !belongs(entry, pack));
  if (strange >= 0) found.push(entryFinding(pack, strange, 'it is of another tenant, component or scope'));
  const wrong = verifyChain(entries as unknown as Entry[], after);
  if (wrong !== undefined) {
    const index = wrong - after.n - 1;
    found.push(entryFinding(pack, index, chainProblem(entries[index], entries[index - 1]?.hash ?? after.hash, wrong)));
  }
  const late = entries.findIndex(({ seq }, index) => index > 0 && seq <= (entries[index - 1] as PackedEntry).seq);
  if (late >= 0) found.push(entryFinding(pack, late, 'its sequence is not after that of the entry before'));
  if (entries.length !== last_n - after.n) {
    const missing = Math.min(entries.length, Math.max(0, last_n - after.n));
    found.push(
      entryFinding(pack, missing, `the package is of ${after.n + 1} to ${last_n}, ${entries.length} are there`),
    );
  }
  return found;
}

/** Names of components end in `_v<major>.<minor>` in an entry. */
const belongs = ({ tenant, scope, component }: PackedEntry, { about }: AuditPackage): boolean =>
  tenant === about.tenant && scope === about.scope && component.replace(/_v\d+\.\d+$/, '') === about.component;

function chainProblem(entry: PackedEntry | undefined, prev: string, n: number): string {
  if (entry === undefined) return 'it is missing';
  if (entry.n !== n) return `entry ${entry.n} stands where ${n} has to stand`;
  if (entry.prev !== prev) return 'it does not stand on the entry before it';
  return 'its hash is not the hash of what it says';
}

function checkHead({ about, entries, head }: AuditPackage): AuditFinding[] {
  const { range } = about;
  const isOurs = head.tenant === about.tenant && head.scope === about.scope && head.component === about.component;
  if (!isOurs) return [{ part: 'head', problem: 'it is of another tenant, component or scope' }];
  if (head.n < range.last_n) return [{ part: 'head', problem: `it is of entry ${head.n}, older than ${range.last_n}` }];
  const newest = entries.at(-1);
  if (head.n > range.last_n) {
    // A piece of the chain: a time or a number was asked for.
    return range.to === undefined
      ? [
          {
            part: 'head',
            n: range.last_n + 1,
            problem: `it is of entry ${head.n}; the package ends at ${range.last_n}`,
          },
        ]
      : [];
  }
  const fits = newest !== undefined && newest.hash === head.hash && newest.n === head.n && newest.seq === head.seq;
  return fits
    ? []
    : [{ part: 'head', n: head.n, seq: head.seq, problem: 'the newest entry is not the one of the head' }];
}

function checkRest(pack: AuditPackage): AuditFinding[] {
  const { about, entries, snapshots, approvals, head, countersignatures } = pack;
  const found: AuditFinding[] = [];
  const versions = new Map(snapshots.map((snapshot) => [snapshot.version, digestOf(snapshot)]));
  for (const [index, { snapshots: written = [] }] of entries.entries()) {
    const unlike = written.find((one) => versions.get(one.version) !== digestOf(one));
    if (unlike) found.push(entryFinding(pack, index, `its version ${unlike.version} is not among the snapshots`));
  }
  const wild = snapshots.findIndex(({ version }, index) => version !== index + 1);
  if (wild >= 0) found.push(findingOf(['snapshots', wild], `version ${wild + 1} has to stand here`));
  for (const [index, entry] of approvals.entries()) {
    const isTrue = entry.kind === 'approval' && entry.tenant === about.tenant && hashOrNone(entry) === entry.hash;
    if (!isTrue) found.push(findingOf(['approvals', index], 'it is no approval of this tenant, or its hash is wrong'));
  }
  const digest = digestOf(head);
  for (const [index, one] of countersignatures.entries()) {
    const fits =
      one.head === digest &&
      (['tenant', 'component', 'scope', 'seq', 'n', 'hash'] as const).every((field) => one[field] === head[field]);
    if (!fits) found.push(findingOf(['countersignatures', index], 'it is not of this head'));
  }
  return found;
}

function hashOrNone(entry: PackedEntry): string | undefined {
  try {
    return entryHash(entry as unknown as StoredEntry);
  } catch {
    return undefined;
  }
}
