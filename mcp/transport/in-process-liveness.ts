import type { Cancel, Clock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import { changedMember, type Liveness, type Member, type Membership } from './liveness.js';
import { createMemberChanges, type MemberChanges } from './member-changes.js';

export interface LivenessDoors {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ttlMs?: number;
  readonly renewMs?: number;
}

/** The presence of one process. */
export interface LivenessHub {
  connect(): LivenessLink;
}

export interface LivenessLink {
  readonly liveness: Liveness;
  /** The component is dead: no goodbye, its renewals stop, its members expire, its watchers hear nothing more. */
  cut(): void;
}

interface Entry {
  member: Member;
  readonly link: object;
  renewedAt: number;
}

/**
 * One tick renews every member whose link lives and then looks for the ones that were not renewed. In that order, so
 * that a process that stood still for long does not declare itself dead.
 */
class Presence implements LivenessHub {
  private readonly entries = new Map<string, Entry>();
  private readonly live = new Set<object>();
  private readonly changes: MemberChanges;
  private stopTick: Cancel | undefined;

  constructor(private readonly doors: LivenessDoors) {
    this.changes = createMemberChanges(doors.logger);
  }

  connect(): LivenessLink {
    const link = {};
    const watches = new Set<{ stop(): void }>();
    let closed = false;
    const drop = (): void => {
      closed = true;
      this.live.delete(link);
      for (const watch of watches) watch.stop();
    };
    this.live.add(link);
    const liveness: Liveness = {
      join: async (member) => {
        if (closed) throw new HermesError('not_ready', 'liveness is closed');
        return this.join(member, link);
      },
      members: (component) => this.members(component),
      watch: (changed) => {
        if (closed) throw new HermesError('not_ready', 'liveness is closed');
        const watch = this.changes.watch(changed);
        watches.add(watch);
        return {
          stop: () => {
            watches.delete(watch);
            watch.stop();
          },
        };
      },
      close: async () => {
        drop();
        for (const [instance, entry] of [...this.entries]) if (entry.link === link) this.remove(instance, 'left');
      },
    };
    return { liveness, cut: drop };
  }

  private join(member: Member, link: object): Membership {
    const known = this.entries.get(member.instance);
    const entry: Entry = { member: { ...member }, link, renewedAt: this.doors.clock.monotonic() };
    this.entries.set(member.instance, entry);
    this.stopTick ??= this.doors.clock.every(this.doors.renewMs ?? LIMITS.livenessRenewMs, () => this.tick());
    this.changes.report({ kind: known ? 'changed' : 'joined', member: entry.member });
    const isCurrent = (): boolean => this.entries.get(member.instance) === entry;
    return {
      renewedAgoMs: () => this.doors.clock.monotonic() - entry.renewedAt,
      update: async (state, owns) => {
        if (!isCurrent()) throw new HermesError('instance_lost', `${member.instance} is not a member any more`);
        const next = changedMember(entry.member, state, owns);
        if (next === entry.member) return;
        entry.member = next;
        this.changes.report({ kind: 'changed', member: entry.member });
      },
      leave: async () => {
        if (isCurrent()) this.remove(member.instance, 'left');
      },
    };
  }

  private members(component?: string): readonly Member[] {
    const all = [...this.entries.values()].map((entry) => entry.member);
    const chosen = component === undefined ? all : all.filter((member) => member.component === component);
    return chosen.sort((a, b) => (a.instance < b.instance ? -1 : 1));
  }

  private tick(): void {
    const now = this.doors.clock.monotonic();
    const ttlMs = this.doors.ttlMs ?? LIMITS.livenessTtlMs;
    for (const entry of this.entries.values()) if (this.live.has(entry.link)) entry.renewedAt = now;
    for (const [instance, entry] of [...this.entries]) {
      if (now - entry.renewedAt >= ttlMs) this.remove(instance, 'expired');
    }
  }

  private remove(instance: string, kind: 'left' | 'expired'): void {
    const entry = this.entries.get(instance);
    if (!entry) return;
    this.entries.delete(instance);
    if (this.entries.size === 0) {
      this.stopTick?.();
      this.stopTick = undefined;
    }
    this.changes.report({ kind, member: entry.member });
  }
}

export const createLivenessHub = (doors: LivenessDoors): LivenessHub => new Presence(doors);
