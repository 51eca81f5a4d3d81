import { HermesError } from '../errors.js';
import type { Random } from '../random.js';
import type { KeyProvider } from './key-provider.js';

/** Where a master key lives that never leaves its token (PKCS #11 v2.40). */
export interface Pkcs11Options {
  /** The vendor's library, `/usr/lib/softhsm/libsofthsm2.so`. */
  readonly module: string;
  /** Label of the token. */
  readonly token: string;
  readonly pin: string;
  /** Label of the AES-256 key in it. */
  readonly key: string;
}

type Library = typeof import('pkcs11js');
type Module = InstanceType<Library['PKCS11']>;

const IV_BYTES = 12;
const TAG_BITS = 128;

/**
 * Wraps by AES-256-GCM inside the token (`iv ‖ ciphertext ‖ tag`); the key is sensitive and cannot be extracted. Its id
 * is `pkcs11:` and its CKA_ID.
 * @throws HermesError `invalid_params` when the package or the module cannot be loaded, or token, PIN or key are not
 * there; each with the next step.
 */
export async function pkcs11KeyProvider(
  options: Pkcs11Options,
  random: Random,
  how: { create: boolean } = { create: false },
): Promise<KeyProvider> {
  const library = await load();
  const module = new library.PKCS11();
  const { session, slot } = openSession(library, module, options);
  const found = findKey(library, module, session, options.key);
  if (!found && !how.create) {
    throw refused(`token ${options.token} has no key ${options.key}`, 'run: hermes keys init --provider pkcs11');
  }
  if (found && how.create) throw refused(`token ${options.token} has a key ${options.key} already`, 'use it as it is');
  const handle = found ?? makeKey(library, module, session, options.key, random);
  const id = idOf(library, module, session, handle);
  const mechanism = (iv: Uint8Array, context: string) => ({
    mechanism: library.CKM_AES_GCM,
    parameter: {
      type: library.CK_PARAMS_AES_GCM,
      iv: Buffer.from(iv),
      aad: Buffer.from(`data-key|${context}`),
      tagBits: TAG_BITS,
    },
  });
  /** A session for each operation: one that failed stays active in its session with some modules. */
  const inSession = <T>(work: (own: Buffer) => T): T => {
    const own = module.C_OpenSession(slot, library.CKF_SERIAL_SESSION);
    try {
      return work(own);
    } finally {
      module.C_CloseSession(own);
    }
  };
  return {
    id,
    wrap: (dataKey, context) =>
      inSession((own) => {
        const iv = random.bytes(IV_BYTES);
        module.C_EncryptInit(own, mechanism(iv, context), handle);
        const out = Buffer.alloc(dataKey.byteLength + TAG_BITS / 8);
        return Buffer.concat([iv, module.C_Encrypt(own, Buffer.from(dataKey), out)]);
      }),
    unwrap(wrapped, context) {
      try {
        return inSession((own) => {
          module.C_DecryptInit(own, mechanism(wrapped.subarray(0, IV_BYTES), context), handle);
          const body = Buffer.from(wrapped.subarray(IV_BYTES));
          return module.C_Decrypt(own, body, Buffer.alloc(body.byteLength));
        });
      } catch (cause) {
        const message = `master key ${id} did not wrap this data key for ${context}`;
        throw new HermesError('log_unavailable', message, {}, { cause });
      }
    },
  };
}

async function load(): Promise<Library> {
  try {
    // Built on installation, and optional: only who keeps a key in a token needs it.
    const loaded = await import('pkcs11js');
    return ((loaded as { default?: Library }).default ?? loaded) as Library;
  } catch (cause) {
    throw refused('the package pkcs11js is not installed', 'run: npm install pkcs11js (needs a C++ compiler)', cause);
  }
}

function openSession(library: Library, module: Module, { module: path, token, pin }: Pkcs11Options) {
  try {
    module.load(path);
    module.C_Initialize();
  } catch (cause) {
    const known = (cause as { code?: number }).code === library.CKR_CRYPTOKI_ALREADY_INITIALIZED;
    if (!known) throw refused(`the PKCS #11 module ${path} cannot be used`, 'check HERMES_PKCS11_MODULE', cause);
  }
  const labelOf = (slot: Buffer): string => module.C_GetTokenInfo(slot).label.trim();
  const slot = module.C_GetSlotList(true).find((one) => labelOf(one) === token);
  if (!slot) throw refused(`there is no token ${token}`, 'check HERMES_PKCS11_TOKEN; softhsm2-util --show-slots');
  const session = module.C_OpenSession(slot, library.CKF_SERIAL_SESSION | library.CKF_RW_SESSION);
  try {
    module.C_Login(session, library.CKU_USER, pin);
  } catch (cause) {
    const known = (cause as { code?: number }).code === library.CKR_USER_ALREADY_LOGGED_IN;
    if (!known) throw refused(`token ${token} does not take the PIN`, 'check HERMES_PKCS11_PIN', cause);
  }
  return { session, slot };
}

function findKey(library: Library, module: Module, session: Buffer, label: string): Buffer | undefined {
  module.C_FindObjectsInit(session, [
    { type: library.CKA_CLASS, value: library.CKO_SECRET_KEY },
    { type: library.CKA_LABEL, value: label },
  ]);
  const [found] = module.C_FindObjects(session, 1);
  module.C_FindObjectsFinal(session);
  return found;
}

function makeKey(library: Library, module: Module, session: Buffer, label: string, random: Random): Buffer {
  return module.C_GenerateKey(session, { mechanism: library.CKM_AES_KEY_GEN, parameter: null as never }, [
    { type: library.CKA_CLASS, value: library.CKO_SECRET_KEY },
    { type: library.CKA_KEY_TYPE, value: library.CKK_AES },
    { type: library.CKA_VALUE_LEN, value: 32 },
    { type: library.CKA_LABEL, value: label },
    { type: library.CKA_ID, value: Buffer.from(random.bytes(8)) },
    { type: library.CKA_TOKEN, value: true },
    { type: library.CKA_PRIVATE, value: true },
    { type: library.CKA_SENSITIVE, value: true },
    { type: library.CKA_EXTRACTABLE, value: false },
    { type: library.CKA_ENCRYPT, value: true },
    { type: library.CKA_DECRYPT, value: true },
  ]);
}

function idOf(library: Library, module: Module, session: Buffer, handle: Buffer): string {
  const [id] = module.C_GetAttributeValue(session, handle, [{ type: library.CKA_ID }]);
  return `pkcs11:${Buffer.from(id?.value as Buffer).toString('hex')}`;
}

const refused = (problem: string, suggestion: string, cause?: unknown): HermesError =>
  new HermesError('invalid_params', problem, { suggestion }, cause === undefined ? {} : { cause });
