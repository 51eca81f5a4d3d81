import type { Cancel } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { FaultyDoors } from './faulty-doors.js';
import type { Liveness, Member, MemberChange, Membership } from './liveness.js';
import { createMemberChanges, type MemberChanges } from './member-changes.js';

/**
 * A component's view of who is alive, with lost renewals and late news, as the plan says. A member whose renewals are
 * lost for the time to live expires here though it lives, and joins again with its next renewal; it sees by
 * `renewedAgoMs` that it may be held for dead. Each observer draws for itself: views may differ.
 */
export function faultyLiveness(liveness: Liveness, doors: FaultyDoors): Liveness {
  return doors.faults.plan.rules.some(({ on }) => on === 'liveness') ? new FaultyView(liveness, doors) : liveness;
}

class FaultyView implements Liveness {
  private readonly view = new Map<string, Member>();
  /** When the last renewal was heard, monotonic; kept for those who expired here. */
  private readonly renewedAt = new Map<string, number>();
  private readonly changes: MemberChanges;
  private readonly source: { stop(): void };
  private readonly stopTick: Cancel;
  private newsUntil = 0;
  private closed = false;

  constructor(
    private readonly inner: Liveness,
    private readonly doors: FaultyDoors,
  ) {
    this.changes = createMemberChanges(doors.logger);
    for (const member of inner.members()) this.show(member);
    this.source = inner.watch((change) => this.hear(change));
    this.stopTick = doors.clock.every(LIMITS.livenessRenewMs, () => this.tick());
  }

  async join(member: Member): Promise<Membership> {
    const { faults, clock, component } = this.doors;
    faults.introduce(member.instance, component);
    const membership = await this.inner.join(member);
    const joinedAt = clock.monotonic();
    return {
      renewedAgoMs: () =>
        Math.max(membership.renewedAgoMs(), clock.monotonic() - (this.renewedAt.get(member.instance) ?? joinedAt)),
      update: (state, owns) => membership.update(state, owns),
      leave: () => membership.leave(),
    };
  }

  members(component?: string): readonly Member[] {
    // Throws when this component is dead.
    this.inner.members(component);
    const chosen = [...this.view.values()].filter(
      (member) => component === undefined || member.component === component,
    );
    return chosen.sort((a, b) => (a.instance < b.instance ? -1 : 1));
  }

  watch(changed: (change: MemberChange) => void): { stop(): void } {
    if (this.closed) throw new HermesError('not_ready', 'liveness is closed');
    return this.changes.watch(changed);
  }

  async close(): Promise<void> {
    await this.inner.close();
    this.end();
  }

  private end(): void {
    this.closed = true;
    this.stopTick();
    this.source.stop();
  }

  /** News in their order, each at its time. */
  private hear(change: MemberChange): void {
    const { faults, clock, component } = this.doors;
    const fault = faults.at({ on: 'liveness', component, kinds: ['delay'] });
    const now = clock.monotonic();
    const at = Math.max(this.newsUntil, now + (fault?.ms ?? 0));
    if (at <= now) {
      this.apply(change);
      return;
    }
    this.newsUntil = at;
    clock.timer(at - now, () => {
      if (!this.closed) this.apply(change);
    });
  }

  private apply({ kind, member }: MemberChange): void {
    const { instance } = member;
    const known = this.view.has(instance);
    if (kind === 'joined' || kind === 'changed') {
      this.show(member);
      this.changes.report({ kind: known ? 'changed' : 'joined', member });
      return;
    }
    this.view.delete(instance);
    this.renewedAt.delete(instance);
    if (known) this.changes.report({ kind, member });
  }

  private show(member: Member): void {
    this.view.set(member.instance, member);
    this.renewedAt.set(member.instance, this.doors.clock.monotonic());
  }

  private tick(): void {
    const { faults, clock } = this.doors;
    const there = this.present();
    const now = clock.monotonic();
    for (const member of there) {
      const { instance } = member;
      const at = this.renewedAt.get(instance);
      // Not heard of yet: the news of its joining is late.
      if (at === undefined) continue;
      const component = faults.componentOf(instance) ?? member.component;
      const lost = faults.at({ on: 'liveness', component, kinds: ['drop'] }) !== undefined;
      if (!lost) this.renewedAt.set(instance, now);
      const shown = this.view.has(instance);
      if (!lost && !shown) this.apply({ kind: 'joined', member });
      if (!lost || !shown || now - at < LIMITS.livenessTtlMs) continue;
      this.view.delete(instance);
      this.changes.report({ kind: 'expired', member });
    }
  }

  /** Nobody, and nothing more to do, when this component is dead. */
  private present(): readonly Member[] {
    try {
      return this.inner.members();
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      this.end();
      return [];
    }
  }
}
