import { z } from 'zod';
import type { ServedCall } from '../../../mcp/index.js';
import type { Clock } from '../../../shared/clock.js';
import type { Deadline } from '../../../shared/deadline.js';
import type { Audit } from '../audit/index.js';
import type { Memory } from '../memory/index.js';
import { auditMethods } from './audit-methods.js';
import { type BuiltinMethod, paramsOf } from './builtin-method.js';
import { memoryMethods } from './memory-methods.js';

const pointsOfDevice = z.object({
  device_id: z.string().min(1).max(64),
  points: z.array(z.string().min(1).max(64)).min(1).max(200).optional(),
});

export interface BuiltinSources {
  /** Name and version. */
  readonly component: string;
  readonly describe: () => unknown;
  readonly health: () => Record<string, unknown>;
  readonly memory: Memory;
  readonly audit: Audit;
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
  return new Map<string, BuiltinMethod>([
    ['describe', async () => sources.describe()],
    ['health', async () => sources.health()],
    ['version_use', async () => sources.versionUse()],
    ['dead_letters', async () => ({ letters: sources.deadLetters() })],
    ['drain', async () => sources.drain()],
    ['clock', async () => ({ now: Math.round(clock.now()) })],
    ...memoryMethods(memory, sources.component),
    ...auditMethods(sources.audit),
    [
      'device_read',
      async (call) => {
        const { device_id, points } = paramsOf(pointsOfDevice, call);
        return sources.readDevice(device_id, points, call.deadline);
      },
    ],
    [
      'ask',
      async (call) => {
        const asked = z.object({ text: z.string().min(1), session_context_id: z.string().optional() });
        const { text, session_context_id } = paramsOf(asked, call);
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
  'memory_stats',
  'memory_check',
  'audit_query',
  'audit_export',
  'audit_seal',
  'audit_piece',
  'device_read',
] as const;
