import { z } from 'zod';
import { parseOrRefuse, type ServedCall } from '../../mcp/index.js';
import type { Clock } from '../../shared/clock.js';
import type { Deadline } from '../../shared/deadline.js';
import type { Memory } from './memory/index.js';

/** Methods that every agent answers beside its own: reads of itself, and `drain`; nothing that moves a device. */
export type BuiltinMethod = (call: ServedCall) => Promise<unknown>;

const scoped = z.object({ scope: z.string().min(1) });
const versioned = scoped.extend({ version: z.number().int().positive().optional() });
const diffed = scoped.extend({ from: z.number().int().positive(), to: z.number().int().positive() });
const paged = scoped.extend({
  from_n: z.number().int().positive().optional(),
  limit: z.number().int().min(1).max(500).optional(),
});

const pointsOfDevice = z.object({
  device_id: z.string().min(1).max(64),
  points: z.array(z.string().min(1).max(64)).min(1).max(200).optional(),
});

export interface BuiltinSources {
  readonly describe: () => unknown;
  readonly health: () => Record<string, unknown>;
  readonly memory: Memory;
  readonly clock: Clock;
  /** Points of a device that the agent serves. */
  readonly readDevice: (
    deviceId: string,
    points: readonly string[] | undefined,
    deadline: Deadline,
  ) => Promise<unknown>;
  /** Takes no new work, hands over what it owns and ends what it has begun. */
  readonly drain: () => Promise<unknown>;
  /** What this instance refused and could not answer. */
  readonly deadLetters: () => readonly unknown[];
  /** Who spoke which version of the protocol to this instance. */
  readonly versionUse: () => unknown;
  readonly ask: (call: ServedCall, text: string, session?: string) => Promise<unknown>;
}

export function builtinMethods(sources: BuiltinSources): ReadonlyMap<string, BuiltinMethod> {
  const { memory, clock } = sources;
  const how = ({ request, deadline }: ServedCall) => ({
    principal: request.principal ?? { id: 'nobody', roles: [] },
    signal: deadline.signal,
    ...(request.consistency_level ? { consistency: request.consistency_level } : {}),
  });
  const params = <T>(schema: z.ZodType<T>, call: ServedCall): T =>
    parseOrRefuse(schema, call.request.params, call.request.method, '/params');
  return new Map<string, BuiltinMethod>([
    ['describe', async () => sources.describe()],
    ['health', async () => sources.health()],
    ['version_use', async () => sources.versionUse()],
    ['dead_letters', async () => ({ letters: sources.deadLetters() })],
    ['drain', async () => sources.drain()],
    ['clock', async () => ({ now: Math.round(clock.now()) })],
    [
      'memory_read',
      async (call) => {
        const { scope, version } = params(versioned, call);
        return memory.read(scope, { ...how(call), ...(version ? { version } : {}) });
      },
    ],
    ['memory_history', async (call) => ({ versions: await memory.history(params(scoped, call).scope, how(call)) })],
    [
      'memory_diff',
      async (call) => {
        const { scope, from, to } = params(diffed, call);
        return { from, to, changes: await memory.diff(scope, from, to, how(call)) };
      },
    ],
    [
      'memory_query',
      async (call) => {
        const { session_context_id } = params(z.object({ session_context_id: z.string().min(1) }), call);
        return { snapshots: await memory.bySession(session_context_id, how(call)) };
      },
    ],
    [
      'audit_query',
      async (call) => {
        const { scope, from_n, limit = 200 } = params(paged, call);
        const entries = await memory.audit(scope, { ...how(call), limit, ...(from_n ? { fromN: from_n } : {}) });
        const last = entries[entries.length - 1];
        return { entries, ...(last && entries.length === limit ? { next: last.n + 1 } : {}) };
      },
    ],
    [
      'device_read',
      async (call) => {
        const { device_id, points } = params(pointsOfDevice, call);
        return sources.readDevice(device_id, points, call.deadline);
      },
    ],
    [
      'ask',
      async (call) => {
        const asked = z.object({ text: z.string().min(1), session_context_id: z.string().optional() });
        const { text, session_context_id } = params(asked, call);
        return sources.ask(call, text, session_context_id);
      },
    ],
  ]);
}

/** Which of them is a plain read, for the default allow-list. */
export const READ_METHODS = [
  'describe',
  'health',
  'dead_letters',
  'version_use',
  'clock',
  'memory_read',
  'memory_history',
  'memory_diff',
  'memory_query',
  'audit_query',
  'device_read',
] as const;
