import { LIMITS } from '../../../shared/limits.js';
import { type AuditPackage, LIST_PARTS, packageSchema } from './audit-package.js';
import { jsonPlace } from './json-place.js';
import { canonicalText } from './signed-statement.js';

/** Something in a package that is not as it was signed, and where. */
export interface AuditFinding {
  /** `entries`, `head`, `signature`, …; `file` for what is in none of the parts. */
  readonly part: string;
  /** Place in a part that is a list, from 0. */
  readonly index?: number;
  /** Number that the entry has in its scope's chain, where the part is `entries`. */
  readonly n?: number;
  /** The log's sequence that the entry says it has. */
  readonly seq?: number;
  readonly problem: string;
}

export type PackageRead =
  | { readonly read: true; readonly pack: AuditPackage }
  | { readonly read: false; readonly finding: AuditFinding };

/**
 * A file as a package, or what keeps it from being one and where: bytes that are no UTF-8, no JSON, JSON in any other
 * spelling than the canonical (RFC 8785), another form. Never throws, whatever the bytes are.
 */
export function readPackage(bytes: Uint8Array): PackageRead {
  if (bytes.byteLength > LIMITS.auditExportBytes) {
    return refuse({ part: 'file', problem: `${bytes.byteLength} bytes; at most ${LIMITS.auditExportBytes}` });
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const whole = jsonPlace(text);
  const broken = brokenAt(bytes, text);
  if (broken !== undefined) return refuse(findingAt(text, broken, 'is no UTF-8'));
  if (whole.problem !== undefined) return refuse(findingAt(text, whole.at, `is no JSON: ${whole.problem}`));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse({ part: 'file', problem: 'is no JSON' });
  }
  const spelt = canonicalOrNone(value);
  if (spelt === undefined) return refuse(unsayable(value, text));
  if (spelt !== text) return refuse(findingAt(text, firstDifference(spelt, text), 'is not in canonical spelling'));
  const parsed = packageSchema.safeParse(value);
  // The value as it stands in the file: what is hashed is not what a schema made of it.
  if (parsed.success) return { read: true, pack: value as AuditPackage };
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).map((key) => (typeof key === 'symbol' ? String(key) : key));
  const problem = `${path.length > 0 ? `${path.join('/')}: ` : ''}${issue?.message ?? 'another form'}`;
  return refuse(findingOf(path, problem, afterOf(jsonPlace(text).members)));
}

const refuse = (finding: AuditFinding): PackageRead => ({ read: false, finding });

function canonicalOrNone(value: unknown): string | undefined {
  try {
    return canonicalText(value);
  } catch {
    return undefined;
  }
}

/** The part that canonical JSON cannot say: a number out of range, half a character. */
function unsayable(value: unknown, text: string): AuditFinding {
  const problem = 'holds what canonical JSON cannot say';
  const after = afterOf(jsonPlace(text).members);
  if (typeof value !== 'object' || value === null) return { part: 'file', problem };
  for (const [part, content] of Object.entries(value)) {
    const items = LIST_PARTS.some((name) => name === part) && Array.isArray(content) ? content : [];
    const index = items.findIndex((item) => canonicalOrNone(item) === undefined);
    if (index >= 0) return findingOf([part, index], problem, after);
    if (canonicalOrNone(content) === undefined) return { part, problem };
  }
  return { part: 'file', problem };
}

function findingAt(text: string, at: number, problem: string): AuditFinding {
  const { path, members } = jsonPlace(text, at);
  return findingOf(path, `character ${at} ${problem}`, afterOf(members));
}

export function findingOf(path: readonly (string | number)[], problem: string, afterN?: number): AuditFinding {
  const [part = 'file', index] = path;
  if (typeof part !== 'string') return { part: 'file', problem };
  if (typeof index !== 'number') return { part, problem };
  const n = part === 'entries' && afterN !== undefined ? { n: afterN + index + 1 } : {};
  return { part, index, ...n, problem };
}

/** The number before the first entry's, from the part that stands before the entries. */
function afterOf(members: ReadonlyMap<string, string>): number | undefined {
  try {
    const about = JSON.parse(members.get('about') ?? '') as { range?: { after?: { n?: unknown } } };
    const n = about.range?.after?.n;
    return typeof n === 'number' ? n : undefined;
  } catch {
    return undefined;
  }
}

/** Index of the first character that the bytes do not say; a byte that is no UTF-8 reads as one that they do not. */
function brokenAt(bytes: Uint8Array, text: string): number | undefined {
  const back = Buffer.from(text, 'utf8');
  if (back.equals(bytes)) return undefined;
  let i = 0;
  while (i < bytes.length && back[i] === bytes[i]) i++;
  return Buffer.from(bytes.buffer, bytes.byteOffset, i).toString('utf8').length;
}

function firstDifference(one: string, other: string): number {
  let i = 0;
  while (i < one.length && one[i] === other[i]) i++;
  return Math.min(i, Math.max(0, other.length - 1));
}
