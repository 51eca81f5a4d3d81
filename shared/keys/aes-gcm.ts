import { createCipheriv, createDecipheriv } from 'node:crypto';

/** AES-256-GCM (NIST SP 800-38D) as `iv (12) ‖ tag (16) ‖ ciphertext`; the associated data binds the place. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function seal(key: Uint8Array, plain: Uint8Array, associated: string, iv: Uint8Array): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(associated, 'utf8'));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

/**
 * @throws Error when key, associated data or a single bit differ, or when less is given than IV and whole tag: a
 * shorter tag would be easier to forge.
 */
export function open(key: Uint8Array, sealed: Uint8Array, associated: string): Uint8Array {
  if (sealed.byteLength < IV_BYTES + TAG_BYTES) throw new Error(`${sealed.byteLength} bytes are no sealed value`);
  const iv = sealed.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(associated, 'utf8'));
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}
