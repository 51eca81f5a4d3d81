import { prefixRange, type Store } from '../../../mcp/transport/index.js';
import type { Scope } from '../../../shared/ids.js';
import { scopeKind } from './scopes.js';

/** Snapshots of the hot view by kind of scope: how many, and their sealed bytes. Opens none of them. */
export async function snapshotSizes(store: Store): Promise<Map<string, { count: number; bytes: number }>> {
  const sizes = new Map<string, { count: number; bytes: number }>();
  for await (const [key, value] of store.range(prefixRange('s/'))) {
    const kind = scopeKind(key.split('/')[1] as Scope);
    const size = sizes.get(kind) ?? { count: 0, bytes: 0 };
    sizes.set(kind, { count: size.count + 1, bytes: size.bytes + value.length });
  }
  return sizes;
}
