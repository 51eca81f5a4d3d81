import type { Agent, StoredEntry } from '../../agents/runtime/index.js';
import { LIMITS } from '../../shared/limits.js';
import type { Twin } from '../../topology/index.js';
import type { Answers } from './answers.js';
import type { Violation } from './checkers.js';

const WRITES: ReadonlySet<number> = new Set([5, 6, 15, 16]);

/** Nobody waits for anything any more when all goals have ended. */
export function nothingPending(agents: readonly Agent[]): Violation[] {
  return agents.flatMap(({ cell }) =>
    cell.caller.pending === 0
      ? []
      : [{ rule: 'nothing pending', what: `${cell.component} waits for ${cell.caller.pending} answers` }],
  );
}

/** An agent that died was started again, sooner or later. */
export const noTrouble = (twin: Twin): Violation[] =>
  twin.troubles.map((error) => ({ rule: 'starts again', what: String(error) }));

export const everyRequestAnswered = (answers: Answers): Violation[] =>
  answers.owed().map(({ place, count }) => ({ rule: 'requests answered', what: `${place} owes ${count} answers` }));

/**
 * No write reaches a device after the deadline of the call that it is for, by true time: the world's frames, not what
 * an agent says. A callee takes a caller's clock as it is when it differs by less than the tolerance.
 */
export function noLateFrame(twin: Twin, entries: readonly StoredEntry[]): Violation[] {
  const skew = (component: string): number => twin.faults.skewOf(component);
  const deadlines = new Map<string, number>();
  for (const { kind, request_id, data, component } of entries) {
    if (kind !== 'dispatch') continue;
    deadlines.set(request_id ?? '', Number(data?.deadline_unix_ms) - skew(nameOf(component)));
  }
  /** Latest lawful time of a write with these registers. */
  const lawful = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== 'finished') continue;
    for (const { registers, rollback } of entry.effects ?? []) {
      if (!registers) continue;
      const key = `${registers.link}/${registers.unit}/${registers.address}/${registers.values.join(',')}`;
      const deadline = (rollback ? undefined : deadlines.get(entry.request_id ?? '')) ?? Number.POSITIVE_INFINITY;
      lawful.set(key, Math.max(lawful.get(key) ?? 0, deadline));
    }
  }
  const tolerance = twin.faults.plan.rules.some(({ kind }) => kind === 'skew') ? LIMITS.clockSkewMs : 0;
  return twin.world.frames().flatMap((frame) => {
    if (frame.dir !== 'in' || !WRITES.has(frame.fc)) return [];
    const until = lawful.get(`${frame.link}/${frame.unit}/${frame.address}/${frame.values.join(',')}`);
    if (until === undefined || frame.at <= until + tolerance) return [];
    return [{ rule: 'no late frame', what: `${frame.device} got a write ${Math.round(frame.at - until)} ms late` }];
  });
}

const nameOf = (component: string): string => component.slice(0, component.lastIndexOf('_v'));
