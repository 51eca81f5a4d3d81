/**
 * Keys: AES-256-GCM, providers that hold a master key, and Ed25519 keys that sign for a component.
 *  1. A master key never leaves its provider, a private key never its holder.
 */
export { open, seal } from './aes-gcm.js';
export { envKeyProvider, fileKeyProvider } from './file-key-provider.js';
export { fileSigningKey } from './file-signing-key.js';
export { type KeyProvider, MASTER_KEY_BYTES, softwareKeyProvider } from './key-provider.js';
export { masterKeyFile, type NextMaster, nextMasterFile, nextMasterInEnvironment, nextPathOf } from './next-master.js';
export { type Pkcs11Options, pkcs11KeyProvider } from './pkcs11-key-provider.js';
export {
  isSignedBy,
  publicKeyId,
  SIGNING_SEED_BYTES,
  type SigningKey,
  signingKeyFromPem,
  signingKeyFromSeed,
} from './signing-key.js';
