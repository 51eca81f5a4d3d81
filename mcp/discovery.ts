import { HermesError, toHermesError } from '../shared/errors.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Caller } from './caller/caller.js';
import { componentName } from './protocol/component-id.js';
import { parseOrRefuse } from './protocol/field-problems.js';
import { type Manifest, manifestSchema } from './protocol/manifest.js';
import type { Liveness, Member } from './transport/index.js';

/**
 * Who is there and what they can do: presence from Liveness, manifests by `describe` on the component's own subject.
 * The last manifest of a component that has gone stays known, so that its sentences stay understood.
 */
export interface Discovery {
  manifest(component: string): Manifest | undefined;
  manifests(): readonly Manifest[];
  members(component?: string): readonly Member[];
  /** Resolves when each of these has announced itself. @throws HermesError `no_worker` naming the missing. */
  waitFor(components: readonly string[], deadlineAt: number): Promise<void>;
  onChange(changed: () => void): { stop(): void };
  stop(): void;
}

export function createDiscovery(
  deps: {
    caller: Caller;
    liveness: Liveness;
    logger: Logger;
    clock: { now(): number; sleep(ms: number): Promise<void> };
  },
  options: { self: string },
): Discovery {
  const { caller, liveness, logger, clock } = deps;
  const known = new Map<string, Manifest>();
  const asking = new Set<string>();
  const listeners = new Set<() => void>();
  let stopped = false;

  const describe = async (member: Member): Promise<void> => {
    const key = `${member.component}_v${member.version}`;
    if (stopped || member.component === options.self || member.state === 'starting' || asking.has(key)) return;
    asking.add(key);
    try {
      const { response } = await caller.call({
        callee: key,
        method: 'describe',
        params: {},
        deadlineAt: clock.now() + 5_000,
        timeoutMs: 1_000,
        retry: { initial_backoff_ms: 50 },
      });
      const manifest = parseOrRefuse(manifestSchema, response.result, `manifest of ${member.component}`) as Manifest;
      if (componentName(manifest.component) !== member.component) {
        throw new HermesError('bad_caller', `${member.component} announces itself as ${manifest.component}`);
      }
      known.set(member.component, manifest);
      for (const changed of listeners) changed();
    } catch (thrown) {
      const error = toHermesError(thrown);
      if (!stopped) logger.warn({ component: key, reason: error.reason, detail: error.message }, 'no manifest');
    } finally {
      asking.delete(key);
    }
  };

  const watch = liveness.watch((change) => {
    if (change.kind === 'joined' || change.kind === 'changed') void describe(change.member);
    else for (const changed of listeners) changed();
  });
  for (const member of liveness.members()) void describe(member);

  const missing = (components: readonly string[]) => components.filter((name) => !known.has(name));
  return {
    manifest: (component) => known.get(component),
    manifests: () => [...known.keys()].sort().map((name) => known.get(name) as Manifest),
    members: (component) => liveness.members(component),
    async waitFor(components, deadlineAt) {
      while (missing(components).length > 0) {
        if (clock.now() >= deadlineAt) {
          throw new HermesError('no_worker', `not announced: ${missing(components).join(', ')}`);
        }
        await clock.sleep(20);
      }
    },
    onChange(changed) {
      listeners.add(changed);
      return { stop: () => listeners.delete(changed) };
    },
    stop() {
      stopped = true;
      watch.stop();
    },
  };
}
