/**
 * What became of a remote effect. A time-out after sending is `unknown`, never `failed`: the effect may have happened.
 */
export type Outcome = 'confirmed' | 'failed' | 'unknown';

export interface Verification {
  readonly outcome: Outcome;
  /** What was read back, by point or property, and what was expected. */
  readonly evidence: Readonly<Record<string, unknown>>;
}

export const confirmed = (evidence: Record<string, unknown> = {}): Verification => ({ outcome: 'confirmed', evidence });
export const failed = (evidence: Record<string, unknown> = {}): Verification => ({ outcome: 'failed', evidence });
export const unknown = (evidence: Record<string, unknown> = {}): Verification => ({ outcome: 'unknown', evidence });
