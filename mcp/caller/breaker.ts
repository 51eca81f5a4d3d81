import type { HermesError } from '../../shared/errors.js';

/**
 * The circuit of one callee, method and actor key, as pure transitions. No state is absorbing: open leads to a probe
 * after `OPEN_MS`, a probe that never ends is followed by another after `PROBE_LEASE_MS`, whatever is answered closes.
 */
export type BreakerState =
  | { readonly kind: 'closed'; readonly failures: number }
  /** Somebody else says that the callee is degraded: asked before it is believed. */
  | { readonly kind: 'suspect' }
  | { readonly kind: 'open'; readonly since: number }
  | { readonly kind: 'probing'; readonly since: number; readonly suspect: boolean };

/** Calls in a row, after their retries, that open the circuit. */
export const FAILURES_TO_OPEN = 3;
export const OPEN_MS = 10_000;
/** Longer than any probe lives: a process that forgot one is not shut out for ever. */
export const PROBE_LEASE_MS = 30_000;

export const CLOSED: BreakerState = { kind: 'closed', failures: 0 };

export type Verdict = 'pass' | 'probe' | 'refuse';
/** `neutral` says nothing about the callee: cancelled, nobody there, less time than the method needs. */
export type CallEnd = 'answered' | 'unanswered' | 'neutral';

/** @param now monotonic, ms. */
export function admitCall(state: BreakerState, now: number): { state: BreakerState; verdict: Verdict } {
  switch (state.kind) {
    case 'closed':
      return { state, verdict: 'pass' };
    case 'suspect':
      return { state: { kind: 'probing', since: now, suspect: true }, verdict: 'probe' };
    case 'open': {
      const over = now - state.since >= OPEN_MS;
      return over ? { state: probing(now), verdict: 'probe' } : { state, verdict: 'refuse' };
    }
    case 'probing':
      if (now - state.since >= PROBE_LEASE_MS) return { state: { ...state, since: now }, verdict: 'probe' };
      return { state, verdict: state.suspect ? 'pass' : 'refuse' };
  }
}

/** A call that was let through has ended. */
export function callEnded(state: BreakerState, end: CallEnd, now: number): BreakerState {
  if (end === 'neutral' || state.kind === 'probing') return state;
  if (end === 'answered') return CLOSED;
  if (state.kind !== 'closed') return state;
  const failures = state.failures + 1;
  return failures >= FAILURES_TO_OPEN ? { kind: 'open', since: now } : { kind: 'closed', failures };
}

/** The probe has ended. One that says nothing leaves the next call to probe. */
export function probeEnded(state: BreakerState, end: CallEnd, now: number): BreakerState {
  if (state.kind !== 'probing') return state;
  if (end === 'answered') return CLOSED;
  if (end === 'unanswered') return { kind: 'open', since: now };
  return state.suspect ? { kind: 'suspect' } : { kind: 'open', since: now - OPEN_MS };
}

/** A foreign `agent.degraded`: the next call probes first; nothing is refused on somebody else's word. */
export const warned = (state: BreakerState): BreakerState => (state.kind === 'closed' ? { kind: 'suspect' } : state);

const probing = (since: number): BreakerState => ({ kind: 'probing', since, suspect: false });

const FAILURES: ReadonlySet<string> = new Set(['deadline', 'instance_lost', 'overloaded']);
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  'no_worker',
  'cancelled',
  'budget',
  'circuit_open',
  'not_ready',
  'owner_moved',
  'version_skew',
  'stale_or_skewed',
  'log_unavailable',
]);

/** How an error counts. @param hadTime the call had at least the method's own time-out. */
export function endOf(error: HermesError, hadTime: boolean): CallEnd {
  if (FAILURES.has(error.reason)) return hadTime ? 'unanswered' : 'neutral';
  return SAYS_NOTHING.has(error.reason) ? 'neutral' : 'answered';
}
