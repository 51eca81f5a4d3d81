import { type SigningKey, signingKeyFromSeed } from '../../shared/keys/index.js';
import { seededRandom } from '../../shared/random.js';

/** The key of a component under test, the same on every run. */
export const testSigning = (component = 'test'): SigningKey =>
  signingKeyFromSeed(seededRandom(component, 'signing').bytes(32));
