import { nkeys } from '@nats-io/transport-node';
import { HermesError } from '../../../shared/errors.js';
import { messageOf } from './failure.js';

/** An identity on a NATS server: its seed proves it, the server knows the public key only. */
export interface NatsUser {
  readonly publicKey: string;
  readonly seed: string;
}

/** A new identity, or the one of a seed. @throws HermesError `invalid_params` for what is no seed of a user. */
export function natsUser(seed?: string): NatsUser {
  try {
    const pair = seed === undefined ? nkeys.createUser() : nkeys.fromSeed(new TextEncoder().encode(seed));
    const publicKey = pair.getPublicKey();
    if (!publicKey.startsWith('U')) throw new Error('it belongs to no user');
    return { publicKey, seed: new TextDecoder().decode(pair.getSeed()) };
  } catch (thrown) {
    throw new HermesError('invalid_params', `not an NKey seed of a user: ${messageOf(thrown)}`, {}, { cause: thrown });
  }
}
