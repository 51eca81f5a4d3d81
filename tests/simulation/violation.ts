/** An invariant that a run broke, and by what. */
export interface Violation {
  readonly rule: string;
  readonly what: string;
}
