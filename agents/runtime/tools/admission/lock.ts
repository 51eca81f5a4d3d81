import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { isSignedBy, publicKeyId, type SigningKey } from '../../../../shared/keys/index.js';
import type { Tool } from '../define-tool.js';

/** The file that signs an agent: it lies in the agent's folder, beside its entry. */
export const LOCK_FILE = 'tools.lock.json';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const signed = z.strictObject({
  format: z.literal('hermes-tools/1'),
  /** SHA-256 of each module that the entry reaches; paths from the agent's folder. */
  files: z.record(z.string(), sha256),
  tools: z.array(z.strictObject({ name: z.string(), version: z.string(), manifest: sha256 })),
  key_id: z.string(),
});
export const toolLockSchema = signed.extend({ signature: z.string() });
export type ToolLock = z.output<typeof toolLockSchema>;
type Signed = z.output<typeof signed>;

/** Bytes of an agent's modules by their paths from its folder. */
export type ShippedFiles = ReadonlyMap<string, Uint8Array>;

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesOf = (lock: Signed): Uint8Array => Buffer.from(canonicalize(lock) as string);

/** Signs an agent's files and the manifests of its tools (Ed25519 over RFC 8785 canonical JSON). */
export function signTools(files: ShippedFiles, tools: readonly Tool[], key: SigningKey): ToolLock {
  const lock: Signed = {
    format: 'hermes-tools/1',
    files: Object.fromEntries([...files].map(([path, bytes]) => [path, digestOf(bytes)])),
    tools: tools.map(({ manifest: { name, version }, digest }) => ({ name, version, manifest: digest })),
    key_id: key.id,
  };
  return { ...lock, signature: Buffer.from(key.sign(bytesOf(lock))).toString('base64') };
}

/** What keeps these files from being what a known key signed; none when they are. Public keys as PEM. */
export function fileProblems(lock: ToolLock, files: ShippedFiles, known: readonly string[]): string[] {
  const { signature, ...content } = lock;
  const key = known.find((pem) => publicKeyId(pem) === lock.key_id);
  if (!key) return [`signed by ${lock.key_id}, which is not among the known keys`];
  if (!isSignedBy(key, bytesOf(content), Buffer.from(signature, 'base64')))
    return [`${LOCK_FILE} was changed after it was signed`];
  const changed = [...files].flatMap(([path, bytes]) => {
    const locked = lock.files[path];
    if (locked === undefined) return [`${path} is not signed`];
    return locked === digestOf(bytes) ? [] : [`${path} was changed after it was signed`];
  });
  const gone = Object.keys(lock.files).filter((path) => !files.has(path));
  return [...changed, ...gone.map((path) => `${path} was signed and is not used any more`)];
}

/** What keeps these tools from being those that were signed. The lock has passed `fileProblems`. */
export function manifestProblems(lock: ToolLock, tools: readonly Tool[]): string[] {
  const locked = new Map(lock.tools.map((row) => [row.name, row]));
  return tools.flatMap(({ manifest: { name }, digest }) => {
    const row = locked.get(name);
    if (!row) return [`${name} is not signed`];
    return row.manifest === digest ? [] : [`the manifest of ${name} is not the one that was signed`];
  });
}
