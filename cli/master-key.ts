import { join } from 'node:path';
import type { Config } from '../shared/config.js';
import { invalidParams } from '../shared/errors.js';
import {
  envKeyProvider,
  type KeyProvider,
  masterKeyFile,
  type NextMaster,
  nextMasterFile,
  nextMasterInEnvironment,
  type Pkcs11Options,
  pkcs11KeyProvider,
} from '../shared/keys/index.js';
import type { Random } from '../shared/random.js';

export interface MasterKey {
  readonly keys: KeyProvider;
  readonly nextMaster: NextMaster;
}

export const masterKeyPath = (dataDir: string): string => join(dataDir, 'keys', 'master.key');

/** Which provider is configured: said, or `env` where the variable is set, else `file`. */
export const providerOf = ({ key_provider, master_key }: Config): 'file' | 'env' | 'pkcs11' =>
  key_provider ?? (master_key === undefined ? 'file' : 'env');

/** @throws HermesError `invalid_params` naming the variable that is missing. */
export function pkcs11Options({ pkcs11_module, pkcs11_token, pkcs11_pin, pkcs11_key }: Config): Pkcs11Options {
  return {
    module: pkcs11_module ?? missing('/pkcs11_module', 'HERMES_PKCS11_MODULE'),
    token: pkcs11_token,
    pin: pkcs11_pin ?? missing('/pkcs11_pin', 'HERMES_PKCS11_PIN'),
    key: pkcs11_key,
  };
}

/**
 * The master key as configured. A file is made at the first run where `create` says so.
 * @throws HermesError `invalid_params` with the next step.
 */
export async function openMasterKey(
  values: Config,
  dataDir: string,
  random: Random,
  how: { readonly create: boolean },
): Promise<MasterKey> {
  const inEnvironment = nextMasterInEnvironment(values.master_key_next, random);
  switch (providerOf(values)) {
    case 'env': {
      const key = values.master_key ?? missing('/master_key', 'HERMES_MASTER_KEY');
      return { keys: envKeyProvider(key, random), nextMaster: inEnvironment };
    }
    case 'pkcs11':
      return { keys: await pkcs11KeyProvider(pkcs11Options(values), random), nextMaster: inEnvironment };
    case 'file': {
      const path = masterKeyPath(dataDir);
      const inFile = nextMasterFile(path, random);
      const nextMaster = values.master_key_next === undefined ? inFile : inEnvironment;
      return { keys: masterKeyFile(path, random, how), nextMaster };
    }
  }
}

function missing(pointer: string, variable: string): never {
  throw invalidParams(`the key provider needs ${variable}`, [{ pointer, problem: 'is not set' }]);
}
