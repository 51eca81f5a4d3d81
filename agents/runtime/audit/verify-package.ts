import { HermesError } from '../../../shared/errors.js';
import { publicKeyId } from '../../../shared/keys/index.js';
import { type AuditPackage, type DigestTree, digestTree, LIST_PARTS, rootStatement } from './audit-package.js';
import { checkContents } from './check-contents.js';
import { type AuditFinding, findingOf, readPackage } from './read-package.js';
import { digestOf, isStatementOf, type Signed } from './signed-statement.js';

/** Whether a countersignature holds; without its key nobody can say. */
export interface CountersignatureCheck {
  readonly by: string;
  readonly key: string;
  readonly at: number;
  readonly state: 'valid' | 'invalid' | 'not checked';
}

export interface AuditVerdict {
  readonly ok: boolean;
  /** Most telling first; empty when all is as it was signed. */
  readonly findings: readonly AuditFinding[];
  /** Of a file that could be read, whatever was found in it. */
  readonly about?: AuditPackage['about'];
  readonly head?: AuditPackage['head'];
  readonly entries: number;
  /** Id of the key that has to have signed it. */
  readonly key: string;
  readonly countersignatures: readonly CountersignatureCheck[];
}

/** More say no more. */
const FINDINGS = 20;

/**
 * Whether a package is, byte for byte, what the holder of a key signed, and whether what was signed is one unbroken
 * piece of a chain. Pure: nothing but the file and the keys; no key inside the file is trusted.
 * @param signer PEM of the component's public key.
 * @param others PEMs of those who countersigned.
 * @throws HermesError `invalid_params` for a PEM that is none; never for the file, whatever is in it.
 */
export function verifyPackage(bytes: Uint8Array, signer: string, others: readonly string[] = []): AuditVerdict {
  const key = publicKeyId(signer);
  const keys = new Map(others.map((pem) => [publicKeyId(pem), pem]));
  const read = readPackage(bytes);
  if (!read.read) return { ok: false, findings: [read.finding], entries: 0, key, countersignatures: [] };
  const { pack } = read;
  const countersignatures = pack.countersignatures.map((one) => ({
    by: one.by,
    key: one.key,
    at: one.at,
    state: stateOf(one, keys.get(one.key)),
  }));
  const findings = [...checkSeal(pack, signer, key), ...checkContents(pack), ...checkSignatures(pack, signer, key)];
  for (const [index, { state, by }] of countersignatures.entries()) {
    if (state === 'invalid') findings.push(findingOf(['countersignatures', index], `${by} did not sign it`));
  }
  const { about, head, entries } = pack;
  const told = distinct(findings).slice(0, FINDINGS);
  return { ok: told.length === 0, findings: told, about, head, entries: entries.length, key, countersignatures };
}

const stateOf = (signed: Signed, pem: string | undefined): CountersignatureCheck['state'] => {
  if (pem === undefined) return 'not checked';
  return isStatementOf(pem, signed) ? 'valid' : 'invalid';
};

/**
 * The digests against the contents. When the tree is the signed one, a digest that does not fit names its item; when
 * the contents are the signed ones, the tree was altered; when neither is, both are told as they are.
 */
function checkSeal(pack: AuditPackage, signer: string, key: string): AuditFinding[] {
  const { tree } = pack;
  const real = digestTree(pack);
  const { root, ...rest } = tree;
  const isTree = digestOf(rest) === root;
  const signed = (said: string): boolean =>
    isStatementOf(signer, { ...rootStatement(said), key: pack.key, signature: pack.signature });
  const unlike = differences(pack, tree, real);
  if (pack.key === key && signed(real.root)) {
    return real.root === root && isTree && unlike.length === 0
      ? []
      : [{ part: 'tree', problem: 'the digests were altered; what they are of was not' }];
  }
  if (unlike.length > 0) return unlike;
  return isTree ? [] : [{ part: 'tree', problem: 'its root is not the digest of what stands in it' }];
}

function differences(pack: AuditPackage, tree: AuditPackage['tree'], real: DigestTree): AuditFinding[] {
  const found: AuditFinding[] = [];
  for (const part of LIST_PARTS) {
    const index = firstUnlike(tree[part], real[part]);
    if (index === undefined) continue;
    found.push(
      withSeq(pack, findingOf([part, index], unlikeText(tree[part], real[part], index), pack.about.range.after.n)),
    );
  }
  for (const part of ['about', 'head'] as const) {
    if (tree[part] !== real[part]) found.push({ part, problem: 'it is not what its digest was made of' });
  }
  for (const form of ['csv', 'pdf'] as const) {
    if (tree.renderings[form] === real.renderings[form]) continue;
    found.push({ part: `renderings/${form}`, problem: 'it is not what its digest was made of' });
  }
  return found;
}

function unlikeText(told: readonly string[], real: readonly string[], index: number): string {
  if (index >= real.length) return `missing: ${told.length} are in the digests, ${real.length} in the file`;
  if (index >= told.length) return `one too many: ${told.length} are in the digests, ${real.length} in the file`;
  if (told.length > real.length) return 'missing, or another stands in its place';
  if (told.length < real.length) return 'put in, or doubled';
  return 'altered, or another stands in its place';
}

function firstUnlike(told: readonly string[], real: readonly string[]): number | undefined {
  const length = Math.max(told.length, real.length);
  for (let index = 0; index < length; index++) if (told[index] !== real[index]) return index;
  return undefined;
}

function withSeq({ entries }: AuditPackage, finding: AuditFinding): AuditFinding {
  const entry = finding.part === 'entries' ? entries[finding.index as number] : undefined;
  return entry === undefined || entry.n !== finding.n ? finding : { ...finding, seq: entry.seq };
}

/** Who signed: the package's whole, and its head. */
function checkSignatures(pack: AuditPackage, signer: string, key: string): AuditFinding[] {
  const found: AuditFinding[] = [];
  if (pack.key !== key) {
    found.push({ part: 'key', problem: `the package says it is signed by ${pack.key}; the key given is ${key}` });
  } else if (!isStatementOf(signer, { ...rootStatement(digestTree(pack).root), key, signature: pack.signature })) {
    found.push({ part: 'signature', problem: `${key} did not sign these contents` });
  }
  if (pack.head.key !== key) {
    found.push({ part: 'head', problem: `the head says it is signed by ${pack.head.key}; the key given is ${key}` });
  } else if (!isStatementOf(signer, pack.head)) {
    found.push({ part: 'head', problem: `${key} did not sign this head` });
  }
  return found;
}

function distinct(findings: readonly AuditFinding[]): AuditFinding[] {
  const seen = new Set<string>();
  return findings.filter(({ part, index, problem }) => {
    const place = index === undefined ? `${part} ${problem}` : `${part} ${index}`;
    return !seen.has(place) && seen.add(place);
  });
}

/** @throws HermesError `invalid_params` when there is no key at all. */
export function signerOf(pems: readonly string[]): readonly [string, ...string[]] {
  const [signer, ...others] = pems;
  if (signer !== undefined) return [signer, ...others];
  throw new HermesError('invalid_params', 'a key is needed: one inside the package proves nothing', {
    fields: [{ pointer: '--key', problem: 'missing' }],
  });
}
