import { LIMITS } from '../../../shared/limits.js';

/** Snapshots of one kind in the hot view; bytes as they are stored, sealed. */
export interface KindSize {
  readonly count: number;
  readonly bytes: number;
}

export interface SnapshotStats extends KindSize {
  /** The largest first; `share` of the bytes, 0 to 1. */
  readonly kinds: readonly (KindSize & { readonly kind: string; readonly share: number })[];
  readonly limits: KindSize;
}

export function statsOf(sizes: ReadonlyMap<string, KindSize>): SnapshotStats {
  const all = [...sizes].map(([kind, size]) => ({ kind, ...size }));
  const count = all.reduce((sum, one) => sum + one.count, 0);
  const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  const kinds = all
    .map((one) => ({ ...one, share: bytes === 0 ? 0 : one.bytes / bytes }))
    .sort((a, b) => b.bytes - a.bytes || a.kind.localeCompare(b.kind));
  return { count, bytes, kinds, limits: { count: LIMITS.memorySnapshots, bytes: LIMITS.memoryBytes } };
}

/** What of it is more than it should be. */
export function overLimit({ count, bytes, kinds, limits }: SnapshotStats): (KindSize & { kind: string }) | undefined {
  if (count <= limits.count && bytes <= limits.bytes) return undefined;
  return { count, bytes, kind: kinds[0]?.kind ?? '' };
}
