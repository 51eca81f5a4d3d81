import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  admitCall,
  type BreakerState,
  type CallEnd,
  CLOSED,
  callEnded,
  FAILURES_TO_OPEN,
  OPEN_MS,
  PROBE_LEASE_MS,
  probeEnded,
  warned,
} from '../../mcp/caller/breaker.js';
import { BUDGET_BURST, BUDGET_PER_CALL, deposit, FULL_BUDGET, withdraw } from '../../mcp/caller/retry-budget.js';

type Step = { do: 'admit' | 'warn'; at: number } | { do: 'call' | 'probe'; end: CallEnd; at: number };

const ends = fc.constantFrom<CallEnd>('answered', 'unanswered', 'neutral');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('admit' as const, 'warn' as const), at: fc.nat(20_000) }),
  fc.record({ do: fc.constantFrom('call' as const, 'probe' as const), end: ends, at: fc.nat(20_000) }),
);

/** Any history at all, calls that end without having been admitted included. */
function after(steps: readonly Step[]): { state: BreakerState; now: number } {
  let state: BreakerState = CLOSED;
  let now = 0;
  for (const one of steps) {
    now += one.at;
    if ('end' in one) state = (one.do === 'call' ? callEnded : probeEnded)(state, one.end, now);
    else state = one.do === 'admit' ? admitCall(state, now).state : warned(state);
  }
  return { state, now };
}

test('from every state that any history leads to, the circuit can be closed again', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { state, now } = after(steps);
      const later = now + OPEN_MS + PROBE_LEASE_MS;
      const { state: admitted, verdict } = admitCall(state, later);
      expect(verdict).not.toBe('refuse');
      const end = verdict === 'probe' ? probeEnded : callEnded;
      const closed = end(admitted, 'answered', later);
      expect(admitCall(closed, later).verdict).toBe('pass');
    }),
    { numRuns: 2_000 },
  );
});

test('an open circuit lets one probe through at a time, and none before its time', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(OPEN_MS * 2), { minLength: 1, maxLength: 60 }), (gaps) => {
      let state: BreakerState = { kind: 'open', since: 0 };
      let now = 0;
      let probes = 0;
      let lastProbe = Number.NEGATIVE_INFINITY;
      for (const gap of gaps) {
        now += gap;
        const admitted = admitCall(state, now);
        state = admitted.state;
        if (admitted.verdict !== 'probe') continue;
        expect(now).toBeGreaterThanOrEqual(OPEN_MS);
        expect(now - lastProbe).toBeGreaterThanOrEqual(PROBE_LEASE_MS);
        lastProbe = now;
        probes++;
      }
      expect(probes).toBeLessThanOrEqual(1 + now / PROBE_LEASE_MS);
    }),
  );
});

test('only calls unanswered in a row open it; nobody else’s word ever refuses a call', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(ends, fc.constant('warn' as const)), { maxLength: 60 }), (history) => {
      let state: BreakerState = CLOSED;
      let row = 0;
      for (const one of history) {
        const { state: admitted, verdict } = admitCall(state, 0);
        if (row < FAILURES_TO_OPEN) expect(verdict).not.toBe('refuse');
        if (verdict === 'refuse') return;
        const end: CallEnd = one === 'warn' ? 'neutral' : one;
        state = verdict === 'probe' ? probeEnded(admitted, end, 0) : callEnded(admitted, end, 0);
        if (verdict === 'probe' && end === 'unanswered') return;
        row = end === 'answered' ? 0 : end === 'unanswered' ? row + 1 : row;
        if (one === 'warn') state = warned(state);
      }
    }),
  );
});

test('the budget stays within its burst and pays for half the calls and the burst, no more', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 2_000 }), (steps) => {
      let budget = FULL_BUDGET;
      let calls = 0;
      let retries = 0;
      for (const isCall of steps) {
        if (isCall) {
          calls++;
          budget = deposit(budget);
        } else {
          const left = withdraw(budget);
          if (left) retries++;
          budget = left ?? budget;
        }
        expect(budget.tokens).toBeGreaterThanOrEqual(0);
        expect(budget.tokens).toBeLessThanOrEqual(BUDGET_BURST);
      }
      expect(retries).toBeLessThanOrEqual(BUDGET_BURST + BUDGET_PER_CALL * calls);
    }),
  );
});
