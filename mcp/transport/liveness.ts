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
}

export interface Membership {
  /**
   * Milliseconds since the last renewal of this member that is known to have arrived, monotonic. Over 3 s the instance
   * may soon be held for dead and looks at the log before it relies on what it owns.
   */
  renewedAgoMs(): number;
  update(state: Member['state']): Promise<void>;
  /** Goodbye: gone at once. */
  leave(): Promise<void>;
}

export interface MemberChange {
  readonly kind: 'joined' | 'changed' | 'left' | 'expired';
  readonly member: Member;
}
