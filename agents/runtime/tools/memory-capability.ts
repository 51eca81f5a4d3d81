import type { Scope } from '../../../shared/ids.js';
import type { Snapshot } from '../record/index.js';

/** The agent's own memory: the newest live version of a scope. Declared as `memory.read:<scope>`. */
export interface MemoryCapability {
  read(scope: Scope): Promise<Snapshot | undefined>;
  /** Of each scope of a kind, `work_order`, in the order of scopes. Declared as `memory.read:<kind>_*`. */
  list(kind: string): Promise<readonly Snapshot[]>;
}

export interface MemoryDeps {
  readonly now: () => number;
  /** Newest snapshot of a scope as the agent's view has it; the view has caught up when it resolves. */
  readonly snapshot: (scope: Scope) => Promise<Snapshot | undefined>;
  readonly scopesOf: (kind: string) => Promise<readonly Scope[]>;
}

/** Memory as a tool reaches it: what has not expired, each use allowed before. */
export function memoryOf(deps: MemoryDeps, allow: (capability: string, target: string) => void): MemoryCapability {
  const live = async (scope: Scope): Promise<Snapshot | undefined> => {
    const snapshot = await deps.snapshot(scope);
    const expired = snapshot?.expires_at !== undefined && Date.parse(snapshot.expires_at) <= deps.now();
    return expired ? undefined : snapshot;
  };
  return {
    read(scope) {
      allow('memory.read', scope);
      return live(scope);
    },
    async list(kind) {
      allow('memory.read', `${kind}_*`);
      const found: Snapshot[] = [];
      for (const scope of await deps.scopesOf(kind)) {
        const snapshot = await live(scope);
        if (snapshot) found.push(snapshot);
      }
      return found;
    },
  };
}
