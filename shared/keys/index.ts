/** Keys: AES-256-GCM, and providers that hold a master key. 1. A master key never leaves its provider. */
export { open, seal } from './aes-gcm.js';
export { envKeyProvider, fileKeyProvider } from './file-key-provider.js';
export { type KeyProvider, MASTER_KEY_BYTES, softwareKeyProvider } from './key-provider.js';
