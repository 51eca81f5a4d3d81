/**
 * Ownership: which instance of a component acts on a link or a resource.
 *
 * Owns: the keys of a component, how they are spread over its instances, taking over, handing over, fencing.
 *  1. The log decides: the last `owned` entry on a key's scope names the owner; taking over is a compare-and-swap.
 *  2. An owner that only stood still and comes back is refused by the record and by devices with a fence register.
 *  3. Before a write leaves, ownership was confirmed at most 2 s ago by an instance whose renewals arrive.
 *  4. Nothing is renewed per key: an instance lives, and with it all that it owns.
 */
export type { Held } from './acting.js';

import type { OwnedKeys } from './keys.js';
import type { Ownership } from './ownership.js';

export { balance, type Claims, type Holding } from './balance.js';
export { type OwnedKey, type OwnedKeys, ownedKeys } from './keys.js';
export { type Ownership, openOwnership } from './ownership.js';

/** What an agent's rooms need of it: which key a call is about, and who owns it. */
export interface Owned {
  readonly keys: OwnedKeys;
  readonly ownership: Ownership;
}
