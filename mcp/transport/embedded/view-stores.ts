import { HermesError, invalidParams } from '../../../shared/errors.js';
import type { Store } from '../store.js';
import type { OpenStoreOptions } from '../transport.js';
import { openLevelStore } from './level-store.js';

/** The view stores of one process, which end with its transport. */
export interface ViewStores {
  /** @throws HermesError `not_ready` once they are being closed. */
  readonly open: (component: string, options?: OpenStoreOptions) => Promise<Store>;
  readonly close: () => Promise<void>;
}

/** Processes of one component on one machine; more is a leak of slots. */
const SLOTS = 64;
const COMPONENT = /^[a-z][a-z0-9_-]{0,63}$/;

export function createViewStores(dataDir: string): ViewStores {
  const stores = new Set<Store>();
  let closing = false;
  return {
    async open(component, options) {
      if (closing) throw new HermesError('not_ready', 'the transport is closed');
      const inner = await openInFreeSlot(dataDir, component, options);
      const store: Store = {
        ...inner,
        close: async () => {
          if (stores.delete(store)) await inner.close();
        },
      };
      stores.add(store);
      return store;
    },
    async close() {
      closing = true;
      for (const store of [...stores]) await store.close();
    },
  };
}

/** `<dataDir>/<component>/<slot>`: the first slot that nobody holds. */
async function openInFreeSlot(dataDir: string, component: string, options?: OpenStoreOptions): Promise<Store> {
  if (!COMPONENT.test(component) || component === 'log' || component === 'heads') {
    const problem = 'lower-case letters, digits, _ and -, beginning with a letter; not "log" or "heads"';
    throw invalidParams(`bad component name "${component}"`, [{ pointer: '/component', problem }]);
  }
  let locked: HermesError | undefined;
  for (let slot = 0; slot < SLOTS; slot++) {
    try {
      return await openLevelStore(`${dataDir}/${component}/${slot}`, options);
    } catch (thrown) {
      if (!(thrown instanceof HermesError) || thrown.reason !== 'store_locked') throw thrown;
      locked = thrown;
    }
  }
  throw locked ?? new HermesError('internal', 'no slots');
}
