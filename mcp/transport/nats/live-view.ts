import { HermesError } from '../../../shared/errors.js';
import { isSameList, type Member, type MemberChange } from '../liveness.js';

/** A beat as it travels: the member and a number that grows with every renewal of its process. */
export interface Beat {
  readonly member: Member;
  readonly beat: number;
}

const STATES: ReadonlySet<unknown> = new Set<Member['state']>(['starting', 'ready', 'draining', 'degraded']);

export const encodeBeat = (beat: Beat): string => JSON.stringify(beat);

/** Checked by hand, so that the thread starts without a schema library. @throws HermesError `invalid_params` */
export function parseBeat(data: Uint8Array): Beat {
  const { member, beat } = JSON.parse(new TextDecoder().decode(data)) as Record<string, unknown>;
  const { component, instance, version, since, state, owns } = (member ?? {}) as Record<keyof Member, unknown>;
  const texts = [component, instance, version].every((text) => typeof text === 'string');
  if (!texts || typeof beat !== 'number' || typeof since !== 'number' || !STATES.has(state)) {
    throw new HermesError('invalid_params', 'a beat is a member and a number');
  }
  const known = Array.isArray(owns) && owns.every((key) => typeof key === 'string') ? { owns } : {};
  return { member: { component, instance, version, since, state, ...known } as Member, beat };
}

const isSame = (a: Member, b: Member): boolean =>
  a.component === b.component &&
  a.version === b.version &&
  a.since === b.since &&
  a.state === b.state &&
  isSameList(a.owns, b.owns);

interface Seen {
  member: Member;
  beat: number;
  at: number;
}

/** How many of the dead are remembered, so that what a stream still holds of them does not bring them back. */
const REMEMBERED = 1_024;

/**
 * Who lives, as one watcher sees it: judged by beats that grow and by the watcher's own monotonic clock alone.
 * Pure: time is handed in.
 */
export class LiveView {
  private readonly seen = new Map<string, Seen>();
  private readonly dead = new Map<string, number>();

  constructor(private readonly ttlMs: number) {}

  /** What a beat changes; undefined when it is an old one or only a renewal. */
  hear({ member, beat }: Beat, now: number): MemberChange | undefined {
    const { instance } = member;
    if (beat <= (this.dead.get(instance) ?? 0)) return undefined;
    const known = this.seen.get(instance);
    if (!known) {
      this.seen.set(instance, { member, beat, at: now });
      return { kind: 'joined', member };
    }
    if (beat <= known.beat) return undefined;
    const changed = !isSame(known.member, member);
    known.member = member;
    known.beat = beat;
    known.at = now;
    return changed ? { kind: 'changed', member } : undefined;
  }

  remove(instance: string, kind: 'left' | 'expired'): MemberChange | undefined {
    const known = this.seen.get(instance);
    if (!known) return undefined;
    this.seen.delete(instance);
    this.bury(instance, known.beat);
    return { kind, member: known.member };
  }

  /** Members that were not heard for the time to live. */
  overdue(now: number): readonly Beat[] {
    return [...this.seen.values()].filter(({ at }) => now - at >= this.ttlMs);
  }

  /** Everybody counts as heard now: the watcher itself was deaf. */
  refresh(now: number): void {
    for (const known of this.seen.values()) known.at = now;
  }

  private bury(instance: string, beat: number): void {
    this.dead.delete(instance);
    this.dead.set(instance, beat);
    const [oldest] = this.dead.keys();
    if (this.dead.size > REMEMBERED && oldest !== undefined) this.dead.delete(oldest);
  }
}
