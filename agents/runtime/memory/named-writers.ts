import type { Scope } from '../../../shared/ids.js';
import type { Snapshot, View } from '../record/index.js';

/** Scopes whose writers are known without a look into the store: each effect asks. */
const KNOWN = 10_000;

/** The people and roles that the newest snapshot of a scope names as writers; the view has to have caught up. */
export interface NamedWriters {
  of(scope: Scope): Promise<readonly string[]>;
}

export function createNamedWriters(view: Pick<View, 'snapshot' | 'onEntry'>): NamedWriters {
  const known = new Map<Scope, readonly string[]>();
  const keep = (scope: Scope, writers: readonly string[]): void => {
    if (known.size >= KNOWN) known.clear();
    known.set(scope, writers);
  };
  view.onEntry(({ scope, snapshots }) => {
    const newest = snapshots?.at(-1);
    if (newest) keep(scope, peopleIn(newest));
  });
  return {
    async of(scope) {
      const before = known.get(scope);
      if (before) return before;
      const newest = await view.snapshot(scope);
      // One that came meanwhile is newer than what was read.
      const came = known.get(scope);
      if (came) return came;
      const writers = newest ? peopleIn(newest) : [];
      keep(scope, writers);
      return writers;
    },
  };
}

/** The component that keeps the record stands among the writers too, with its version. */
const peopleIn = ({ access_control: { writers } }: Snapshot): readonly string[] =>
  writers.filter((writer) => !/_v\d+\.\d+$/.test(writer));
