import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { HermesError } from '../errors.js';

/**
 * Holder of one component's private key (Ed25519, RFC 8032). The id names the public key: `ed25519:` and the first 16
 * hex digits of SHA-256 over its DER (SubjectPublicKeyInfo, RFC 8410).
 */
export interface SigningKey {
  readonly id: string;
  /** SubjectPublicKeyInfo as PEM: what a verifier gets out of band. */
  readonly publicPem: string;
  /** 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

export const SIGNING_SEED_BYTES = 32;
/** PKCS #8 of an Ed25519 private key before its 32 bytes (RFC 8410 §7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** @throws HermesError `invalid_params` for anything but 32 bytes. */
export function signingKeyFromSeed(seed: Uint8Array): SigningKey {
  if (seed.byteLength !== SIGNING_SEED_BYTES) {
    throw new HermesError('invalid_params', `a signing key has ${SIGNING_SEED_BYTES} bytes, not ${seed.byteLength}`);
  }
  return signingKeyOf(createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' }));
}

/** @throws HermesError `invalid_params` when the PEM holds no Ed25519 private key. */
export function signingKeyFromPem(pem: string): SigningKey {
  return signingKeyOf(readKey(() => createPrivateKey(pem), 'private'));
}

function signingKeyOf(secret: KeyObject): SigningKey {
  const publicPem = createPublicKey(secret).export({ type: 'spki', format: 'pem' }).toString();
  return { id: publicKeyId(publicPem), publicPem, sign: (message) => sign(null, message, secret) };
}

/** @throws HermesError `invalid_params` when the PEM holds no Ed25519 public key. */
export function publicKeyId(publicPem: string): string {
  const der = publicKeyOf(publicPem).export({ type: 'spki', format: 'der' });
  return `ed25519:${createHash('sha256').update(der).digest('hex').slice(0, 16)}`;
}

/** Whether this public key signed this message; false for a signature that is none. */
export function isSignedBy(publicPem: string, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, publicKeyOf(publicPem), signature);
}

const publicKeyOf = (pem: string): KeyObject => readKey(() => createPublicKey(pem), 'public');

function readKey(read: () => KeyObject, kind: 'public' | 'private'): KeyObject {
  try {
    const key = read();
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (cause) {
    throw new HermesError('invalid_params', `the text is no PEM of a ${kind} key`, {}, { cause });
  }
  throw new HermesError('invalid_params', `the ${kind} key is not Ed25519`);
}
