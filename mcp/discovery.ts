import type { Cancel, Clock } from '../shared/clock.js';
import { HermesError, toHermesError } from '../shared/errors.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Caller } from './caller/caller.js';
import { componentName } from './protocol/component-id.js';
import { parseOrRefuse } from './protocol/field-problems.js';
import { type Manifest, manifestSchema } from './protocol/manifest.js';
import type { Liveness, Member } from './transport/index.js';

/**
 * Who is there and what they can do: presence from Liveness, manifests by `describe` on the component's own subject.
 * The last manifest of a component that has gone stays known, so that its sentences stay understood. Who is there and
 * did not answer is asked again, with back-off. While versions are mixed, as in a rolling upgrade, the lowest one that
 * takes calls counts: what is planned by it any instance can do.
 */
export interface Discovery {
  manifest(component: string): Manifest | undefined;
  manifests(): readonly Manifest[];
  members(component?: string): readonly Member[];
  /** Resolves when each of these has announced itself. @throws HermesError `no_worker` naming the missing. */
  waitFor(components: readonly string[], deadlineAt: number): Promise<void>;
  onChange(changed: () => void): { stop(): void };
  /** It left on purpose: its sentences stay understood, but `waitFor` waits until it has announced itself anew. */
  hasLeft(component: string): void;
  stop(): void;
}

const ASK_AGAIN_MS = 1_000;
const ASK_AGAIN_MAX_MS = 30_000;

export function createDiscovery(
  deps: { caller: Caller; liveness: Liveness; logger: Logger; clock: Pick<Clock, 'now' | 'sleep' | 'timer'> },
  options: {
    self: string;
    /** Manifests from an earlier life, for components that have not announced themselves in this one. */
    known?: readonly Manifest[];
  },
): Discovery {
  const { caller, liveness, logger, clock } = deps;
  const known = new Map((options.known ?? []).map((manifest) => [componentName(manifest.component), manifest]));
  /** What each version that is there said of itself, by `component_vMAJOR.MINOR`. */
  const described = new Map<string, Manifest>();
  /** Those that announced themselves in this life. */
  const heard = new Set<string>();
  const asking = new Set<string>();
  const waiting = new Map<string, Cancel>();
  const listeners = new Set<() => void>();
  let stopped = false;

  const describe = async (member: Member, againMs = ASK_AGAIN_MS): Promise<void> => {
    const key = `${member.component}_v${member.version}`;
    if (stopped || member.component === options.self || member.state === 'starting' || asking.has(key)) return;
    asking.add(key);
    unwait(key);
    try {
      const { response } = await caller.call({
        callee: key,
        method: 'describe',
        params: {},
        // A later version would answer for this one.
        instance: member.instance,
        deadlineAt: clock.now() + 5_000,
        timeoutMs: 1_000,
        retry: { initial_backoff_ms: 50 },
        probe: { method: 'describe', params: {} },
      });
      const manifest = parseOrRefuse(manifestSchema, response.result, `manifest of ${member.component}`) as Manifest;
      if (componentName(manifest.component) !== member.component) {
        throw new HermesError('bad_caller', `${member.component} announces itself as ${manifest.component}`);
      }
      described.set(key, manifest);
      heard.add(member.component);
      settle(member.component);
    } catch (thrown) {
      const error = toHermesError(thrown);
      if (stopped) return;
      logger.warn({ component: key, reason: error.reason, detail: error.message, again_ms: againMs }, 'no manifest');
      waiting.set(
        key,
        clock.timer(againMs, () => {
          try {
            askAgain(key, member, againMs);
          } catch (thrown) {
            // A transport that is gone: whoever asks has ended, or will be told.
            logger.info({ component: key, detail: toHermesError(thrown).message }, 'a manifest is not asked for again');
          }
        }),
      );
    } finally {
      asking.delete(key);
    }
  };

  /** Takes the manifest that counts now, and tells. Versions that have gone are forgotten, but not the last of all. */
  const settle = (component: string): void => {
    const there = liveness.members(component).filter(({ state }) => state !== 'starting');
    const serving = there.filter(({ state }) => state === 'ready');
    const versions = (serving.length > 0 ? serving : there).map(({ version }) => version).sort(byVersion);
    const counting = versions.map((version) => described.get(`${component}_v${version}`)).find((one) => one);
    if (counting) known.set(component, counting);
    for (const [key, { component: id }] of described) {
      const gone = componentName(id) === component && !there.some(({ version }) => key === `${component}_v${version}`);
      if (gone) described.delete(key);
    }
    for (const changed of listeners) changed();
  };

  const unwait = (key: string): void => {
    waiting.get(key)?.();
    waiting.delete(key);
  };

  /** Any instance of that version may answer; when the last has gone, its coming back begins anew. */
  const askAgain = (key: string, { component, version }: Member, waitedMs: number): void => {
    waiting.delete(key);
    const there = liveness
      .members(component)
      .find((member) => member.version === version && member.state !== 'starting');
    if (there) void describe(there, Math.min(waitedMs * 2, ASK_AGAIN_MAX_MS));
  };

  /** What a member owns changes nothing here. */
  const states = new Map(liveness.members().map(({ instance, state }) => [instance, state]));
  const watch = liveness.watch((change) => {
    const { instance, state } = change.member;
    if (change.kind === 'changed' && states.get(instance) === state) return;
    if (change.kind === 'left' || change.kind === 'expired') states.delete(instance);
    else states.set(instance, state);
    const arrives = change.kind === 'joined' || (change.kind === 'changed' && change.member.state !== 'draining');
    if (arrives) void describe(change.member);
    else settle(change.member.component);
  });
  for (const member of liveness.members()) void describe(member);

  const missing = (components: readonly string[]) => components.filter((name) => !heard.has(name));
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
    hasLeft: (component) => void heard.delete(component),
    onChange(changed) {
      listeners.add(changed);
      return { stop: () => listeners.delete(changed) };
    },
    stop() {
      stopped = true;
      watch.stop();
      for (const key of [...waiting.keys()]) unwait(key);
    },
  };
}

/** Lowest first. */
function byVersion(a: string, b: string): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA - majorB || minorA - minorB;
}
