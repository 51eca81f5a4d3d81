import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { isSignedBy, type SigningKey } from '../../../shared/keys/index.js';

/** What every signed statement carries; `says` names its form, so that one kind is never taken for another. */
export interface Signed {
  readonly says: string;
  /** Id of the public key. */
  readonly key: string;
  /** Ed25519 over the canonical JSON of everything else, base64. */
  readonly signature: string;
}

/** RFC 8785. @throws Error for what JSON cannot say: NaN, Infinity, half a character. */
export const canonicalText = (value: unknown): string => canonicalize(value) as string;

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** SHA-256 over the canonical JSON of a value. */
export const digestOf = (value: unknown): string => sha256(canonicalText(value));

export function signStatement<T extends { readonly says: string }>(
  signing: SigningKey,
  statement: T,
): T & { key: string; signature: string } {
  const said = { ...statement, key: signing.id };
  const signature = Buffer.from(signing.sign(Buffer.from(canonicalText(said), 'utf8'))).toString('base64');
  return { ...said, signature };
}

/** Whether the key signed exactly this. A signature in any other spelling than its own is none. */
export function isStatementOf(publicPem: string, { signature, ...said }: Signed): boolean {
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.toString('base64') !== signature) return false;
  return isSignedBy(publicPem, Buffer.from(canonicalText(said), 'utf8'), bytes);
}
