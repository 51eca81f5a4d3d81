/**
 * Retries that a callee can be asked for, as a token bucket: each call puts in a half, each retry takes one out. Of
 * many callers that all fail, at most half as many retries as calls reach a callee that is in trouble already
 * (after Finagle's RetryBudget).
 */
export const BUDGET_PER_CALL = 0.5;
/** Tokens at the start, and the most that can be saved. */
export const BUDGET_BURST = 100;

export interface RetryBudget {
  readonly tokens: number;
}

export const FULL_BUDGET: RetryBudget = { tokens: BUDGET_BURST };

export const deposit = ({ tokens }: RetryBudget): RetryBudget => ({
  tokens: Math.min(BUDGET_BURST, tokens + BUDGET_PER_CALL),
});

/** The budget after one retry; undefined when there is none left for it. */
export const withdraw = ({ tokens }: RetryBudget): RetryBudget | undefined =>
  tokens >= 1 ? { tokens: tokens - 1 } : undefined;
