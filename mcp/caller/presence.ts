import { HermesError } from '../../shared/errors.js';
import type { Liveness, Member } from '../transport/index.js';

/** An instance as a caller sees it. */
export interface Candidate {
  readonly instance: string;
  readonly major: number;
  readonly minor: number;
  readonly state: Member['state'];
}

/** The caller's own view of who is there: read once after each change, not once a call. */
export interface Presence {
  of(component: string): readonly Candidate[];
  stop(): void;
}

/** @param gone told of each instance that left or expired, after the view has changed. */
export function createPresence(liveness: Liveness, gone: (member: Member, how: 'left' | 'expired') => void): Presence {
  const known = new Map<string, readonly Candidate[]>();
  const watch = liveness.watch(({ kind, member }) => {
    known.delete(member.component);
    if (kind === 'left' || kind === 'expired') gone(member, kind);
  });
  return {
    of(component) {
      const there = known.get(component);
      if (there) return there;
      const read = liveness.members(component).map(({ instance, version, state }) => {
        const [major, minor] = version.split('.').map(Number);
        return { instance, major: major ?? 0, minor: minor ?? 0, state };
      });
      known.set(component, read);
      return read;
    },
    stop: () => watch.stop(),
  };
}

/** @throws HermesError `no_worker`: presence knows nobody of this name. */
export function noWorker(name: string): HermesError {
  return new HermesError('no_worker', `no live instance of ${name}`, {
    started: false,
    callee: name,
    suggestion: `start an agent ${name}, or see which run with: hermes agents`,
  });
}
