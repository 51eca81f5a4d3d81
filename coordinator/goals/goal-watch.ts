import type { StoredEntry, View } from '../../agents/runtime/index.js';
import type { Scope } from '../../shared/ids.js';
import { type GoalEvent, isFinal } from './goal.js';

/**
 * A goal's entries from `fromN` on, in order, each once, ending after its final state (or when the signal fires). Read
 * from the view, woken by it: a slow reader costs nobody anything.
 */
export async function* watchGoal(
  view: View,
  scope: Scope,
  fromN: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEntry> {
  let next = Math.max(1, fromN);
  let wake: () => void = () => undefined;
  let dirty = true;
  const listening = view.onEntry((entry) => {
    if (entry.scope !== scope) return;
    dirty = true;
    wake();
  });
  const abort = (): void => wake();
  signal.addEventListener('abort', abort);
  try {
    while (!signal.aborted) {
      dirty = false;
      for (const entry of await view.entries(scope, { fromN: next })) {
        next = entry.n + 1;
        yield entry;
        if (ends(entry)) return;
      }
      if (dirty || signal.aborted) continue;
      const [newest] = await view.entries(scope, { fromN: next - 1, limit: 1 });
      if (newest ? ends(newest) : (await view.entries(scope)).some(ends)) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (dirty || signal.aborted) resolve();
      });
    }
  } finally {
    listening.stop();
    signal.removeEventListener('abort', abort);
  }
}

function ends(entry: StoredEntry): boolean {
  const event = entry.data as unknown as GoalEvent;
  return entry.kind === 'goal' && event.type === 'state' && isFinal(event.state);
}
