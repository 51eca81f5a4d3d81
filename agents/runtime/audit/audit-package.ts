import { z } from 'zod';
import type { SigningKey } from '../../../shared/keys/index.js';
import type { Snapshot, StoredEntry } from '../record/index.js';
import { type Countersignature, countersignatureSchema, type Head, headSchema, SAYS } from './head.js';
import { canonicalText, digestOf, sha256, signStatement } from './signed-statement.js';

/** What the package is about, and which part of the chain it holds. */
export interface About {
  readonly tenant: string;
  /** Name of the component whose record it is. */
  readonly component: string;
  readonly scope: string;
  readonly instance: string;
  readonly exported_at: number;
  /** Principal that asked for it. */
  readonly exported_for: string;
  readonly range: {
    /** The entry that the first one stands on; `n` 0 and 64 zeros for the beginning of the chain. */
    readonly after: { readonly n: number; readonly hash: string };
    readonly last_n: number;
    /** Unix milliseconds, when it was asked for a time. */
    readonly from?: number;
    readonly to?: number;
  };
}

/** One goal that the entries name, as the home tells it from its entries, or a coordinator from all that it knows. */
export interface GoalTimeline {
  readonly goal_id: string;
  /** Name of the component. */
  readonly by: string;
  readonly trace_id?: string;
  readonly stages: readonly {
    readonly name: string;
    readonly operation_id?: string;
    /** Number of the entry that ends it, where it is of this chain. */
    readonly n?: number;
    readonly start_unix_ms: number;
    readonly ms: number;
    readonly outcome?: string;
    readonly rollback?: boolean;
  }[];
}

export interface PackageParts {
  readonly about: About;
  readonly entries: readonly StoredEntry[];
  /** Every version of the scope's memory that its record has. */
  readonly snapshots: readonly Snapshot[];
  readonly approvals: readonly StoredEntry[];
  readonly trace: readonly GoalTimeline[];
  readonly head: Head;
  readonly countersignatures: readonly Countersignature[];
  /** Base64. */
  readonly renderings: { readonly csv: string; readonly pdf: string };
}

/** The digest of every part, lists item by item; `root` is the digest of all of it. */
export interface DigestTree {
  readonly about: string;
  readonly entries: readonly string[];
  readonly snapshots: readonly string[];
  readonly approvals: readonly string[];
  readonly trace: readonly string[];
  readonly head: string;
  readonly countersignatures: readonly string[];
  readonly renderings: { readonly csv: string; readonly pdf: string };
  readonly root: string;
}

export const LIST_PARTS = ['entries', 'snapshots', 'approvals', 'trace', 'countersignatures'] as const;

/** A part's name goes into its digests: an entry is no approval. */
const leaf = (part: string, value: unknown): string => sha256(`${SAYS.package} ${part} ${canonicalText(value)}`);

export function digestTree(parts: Readonly<Record<keyof PackageParts, unknown>>): DigestTree {
  const all = (part: (typeof LIST_PARTS)[number]): string[] =>
    (parts[part] as readonly unknown[]).map((item) => leaf(part, item));
  const { csv, pdf } = parts.renderings as PackageParts['renderings'];
  const tree = {
    about: leaf('about', parts.about),
    entries: all('entries'),
    snapshots: all('snapshots'),
    approvals: all('approvals'),
    trace: all('trace'),
    head: leaf('head', parts.head),
    countersignatures: all('countersignatures'),
    renderings: { csv: leaf('csv', csv), pdf: leaf('pdf', pdf) },
  };
  return { ...tree, root: digestOf(tree) };
}

/** What is signed: the root of the tree, and that it is one. */
export const rootStatement = (root: string) => ({ says: SAYS.package, root });

/** One canonical JSON text (RFC 8785) in which every byte is bound by the signature. */
export function sealPackage(signing: SigningKey, parts: PackageParts): string {
  const tree = digestTree({ ...parts });
  const { key, signature } = signStatement(signing, rootStatement(tree.root));
  return canonicalText({ format: SAYS.package, ...parts, tree, key, signature });
}

const text = z.string();
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();
const entry = z.looseObject({
  n: count,
  seq: count,
  prev: text,
  hash: text,
  scope: text,
  tenant: text,
  component: text,
  snapshots: z.array(z.looseObject({ version: count })).optional(),
});
const hashes = z.array(hash);
const stage = z.looseObject({ name: text });

/** A package as a verifier takes it: its frame is strict, what entries say is theirs. */
export const packageSchema = z.strictObject({
  format: z.literal(SAYS.package),
  about: z.strictObject({
    tenant: text,
    component: text,
    scope: text,
    instance: text,
    exported_at: z.number(),
    exported_for: text,
    range: z.strictObject({
      after: z.strictObject({ n: count, hash }),
      last_n: count,
      from: z.number().optional(),
      to: z.number().optional(),
    }),
  }),
  entries: z.array(entry),
  snapshots: z.array(z.looseObject({ version: count })),
  approvals: z.array(entry),
  trace: z.array(z.strictObject({ goal_id: text, by: text, trace_id: text.optional(), stages: z.array(stage) })),
  head: headSchema,
  countersignatures: z.array(countersignatureSchema),
  renderings: z.strictObject({ csv: text, pdf: text }),
  tree: z.strictObject({
    about: hash,
    entries: hashes,
    snapshots: hashes,
    approvals: hashes,
    trace: hashes,
    head: hash,
    countersignatures: hashes,
    renderings: z.strictObject({ csv: hash, pdf: hash }),
    root: hash,
  }),
  key: text,
  signature: text,
});
export type AuditPackage = z.output<typeof packageSchema>;
