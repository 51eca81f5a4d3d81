import type { Store, Transport } from '../../mcp/transport/index.js';

/**
 * The canary: the same product with the claim taken out. The view never finds an earlier operation under a request id,
 * so that every delivery looks like the first. What proves "nothing twice" has to fail on it.
 */
export function withoutClaim(transport: Transport): Transport {
  return {
    ...transport,
    openStore: async (component, options) => forgetful(await transport.openStore(component, options)),
  };
}

function forgetful(store: Store): Store {
  return {
    get: async (key) => (key.startsWith('o/') ? undefined : store.get(key)),
    batch: (changes, options) => store.batch(changes, options),
    range: (range) => store.range(range),
    close: () => store.close(),
  };
}
