import type { Log } from '../../../mcp/transport/index.js';
import { HermesError } from '../../../shared/errors.js';
import { type KeyProvider, type NextMaster, open, seal } from '../../../shared/keys/index.js';
import type { Random } from '../../../shared/random.js';
import { checkMaster, type DataKeys, firstDataKeys, lastKeySeq, readDataKeys } from './data-keys.js';

/**
 * Encryption at rest of one tenant: AES-256-GCM under the tenant's data keys, which stand in the log wrapped by the
 * master key for this tenant, so that every host of the tenant can read. The associated data binds tenant and place: a
 * value moved to another scope, version or tenant does not open. A sealed value names its data key by number.
 */
export interface Vault {
  seal(plain: Uint8Array, place: string): Uint8Array;
  /** @throws HermesError `log_unavailable` when the value was altered, moved or sealed by another key. */
  open(sealed: Uint8Array, place: string): Uint8Array;
  /**
   * To be awaited before `open` where it is a promise: the value is sealed under a key that came after this vault was
   * opened. Values that this process did not seal itself may be.
   */
  learn(sealed: Uint8Array): Promise<void> | undefined;
  /** Reads the log's keys again, and seals under the newest. */
  refresh(): Promise<void>;
}

export interface VaultDeps {
  readonly log: Log;
  readonly keys: KeyProvider;
  /** The master key that is to come, where the operator has given one: data may have been re-wrapped under it. */
  readonly nextMaster?: NextMaster;
  readonly random: Random;
}

/** Sealed under key 1, before keys had numbers. */
const UNNUMBERED = 1;
/** A byte for the format, two for the number of the key. */
const NUMBERED = 2;
const MAX_KEYS = 0xffff;

export async function openVault(deps: VaultDeps, tenant: string): Promise<Vault> {
  const { log, random } = deps;
  const opened = new Map<number, Uint8Array>();
  let current = 1;
  let seq = 0;

  const take = (known: DataKeys): void => {
    const next = deps.nextMaster?.provider();
    checkMaster(known, ...(next ? [deps.keys, next] : [deps.keys]));
    const master = next?.id === known.master ? next : deps.keys;
    for (const [number, wrapped] of known.wrapped) {
      if (!opened.has(number)) opened.set(number, master.unwrap(wrapped, tenant));
    }
    current = Math.min(known.current, MAX_KEYS);
    seq = known.seq;
  };
  take(await firstDataKeys(deps, deps.keys, tenant));

  const refresh = async (): Promise<void> => {
    if ((await lastKeySeq(log, tenant)) === seq) return;
    const known = await readDataKeys(log, tenant);
    if (known) take(known);
  };
  const bound = (place: string): string => `${tenant}|${place}`;
  const keyOf = (number: number): Uint8Array => {
    const key = opened.get(number);
    if (key) return key;
    throw new Error(`there is no data key ${number}`);
  };

  return {
    seal(plain, place) {
      const body = seal(keyOf(current), plain, bound(place), random.bytes(12));
      return Buffer.concat([Buffer.from([NUMBERED, current >> 8, current & 0xff]), body]);
    },
    open(sealed, place) {
      try {
        const { number, body } = parted(sealed);
        return open(keyOf(number), body, bound(place));
      } catch (cause) {
        throw new HermesError(
          'log_unavailable',
          `the value at ${place} does not open`,
          { place, sealed: false },
          { cause },
        );
      }
    },
    learn(sealed) {
      const number = sealed[0] === NUMBERED && sealed.length > 3 ? parted(sealed).number : current;
      return opened.has(number) ? undefined : refresh();
    },
    refresh,
  };
}

/** @throws Error for what no vault has sealed. */
function parted(sealed: Uint8Array): { number: number; body: Uint8Array } {
  if (sealed[0] === UNNUMBERED) return { number: 1, body: sealed.subarray(1) };
  if (sealed[0] !== NUMBERED || sealed.length < 3) throw new Error('not a sealed value');
  return { number: ((sealed[1] as number) << 8) | (sealed[2] as number), body: sealed.subarray(3) };
}
