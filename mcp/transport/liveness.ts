/**
 * Liveness: which instances of which component are alive, with expiry.
 *
 * Invariants (the contract suite holds them on every transport):
 *  1. A joined instance is a member until it leaves (at once) or its renewals stop (after the time to live).
 *  2. `members` is the watcher's own view; `watch` reports every change of it, in order.
 *  3. Nobody's wall clock is compared with anybody else's.
 */
export interface Liveness {
  join(member: Member): Promise<Membership>;
  /** Live instances of one component, or of all, by instance name. */
  members(component?: string): readonly Member[];
  watch(changed: (change: MemberChange) => void): { stop(): void };
  close(): Promise<void>;
}

export interface Member {
  /** Component name without version. */
  readonly component: string;
  readonly instance: string;
  /** `MAJOR.MINOR`. */
  readonly version: string;
  readonly since: number;
  /** `starting` instances are seen but take no calls. */
  readonly state: 'starting' | 'ready' | 'draining' | 'degraded';
  /** Keys that it says it owns (`link:…`), for those who look; who owns what is decided by the record. */
  readonly owns?: readonly string[];
}

export interface Membership {
  /**
   * Milliseconds since the last renewal of this member that is known to have arrived, monotonic. Over 3 s the instance
   * may soon be held for dead and looks at the log before it relies on what it owns.
   */
  renewedAgoMs(): number;
  /** @param owns default: as it was. */
  update(state: Member['state'], owns?: readonly string[]): Promise<void>;
  /** Goodbye: gone at once. */
  leave(): Promise<void>;
}

/** The same member with another word of itself; the very same when nothing has changed. */
export function changedMember(member: Member, state: Member['state'], owns: readonly string[] | undefined): Member {
  const same = owns === undefined || isSameList(owns, member.owns);
  if (member.state === state && same) return member;
  return { ...member, state, ...(owns === undefined ? {} : { owns }) };
}

export const isSameList = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at]);

export interface MemberChange {
  readonly kind: 'joined' | 'changed' | 'left' | 'expired';
  readonly member: Member;
}
