import type { Fault, Severity } from '../diagnosis/faults.js';
import type { Kind } from '../equipment.js';

/**
 * One look at one device through the points that a rule has named. What it names as needed is there, good, of its
 * type and plausible; a rule that asks for another point is a defect and throws.
 */
export interface Look {
  number(point: string): number;
  is(point: string): boolean;
  /** Whether an optional point says something. */
  has(point: string): boolean;
}

/** A pure test on looks. It fires when `shows` is true of every look. */
export interface Rule {
  /** As it is cited to people: `G36-FC1`. */
  readonly name: string;
  readonly fault: Fault;
  readonly kind: Kind;
  readonly severity: Severity;
  readonly confidence: number | ((look: Look) => number);
  /** Points without which it cannot be asked. Together with the optional ones they are the evidence. */
  readonly points: readonly string[];
  readonly optional?: readonly string[];
  /** Why it cannot be asked of such a look, `the fan is off`. */
  readonly unless?: (look: Look) => string | undefined;
  readonly shows: (look: Look) => boolean;
  /**
   * Why what the looks show may pass by itself, `the damper is on its way`: the rule is skipped then, and the fault is
   * neither found nor ruled out. It takes two looks to tell; of one alone such a rule is skipped too. What so few looks
   * cannot tell at all begins with `needs_history`.
   */
  readonly underWay?: (first: Look, last: Look) => string | undefined;
  /** Says nothing about a box whose air handler is switched off or speeding up. */
  readonly needsAir?: true;
  /**
   * Rests after a change of the zone's set-point: `zone` until the zone has had time to follow (G36 5.1.20),
   * `compressor` for its minimum off time.
   */
  readonly rests?: 'zone' | 'compressor';
}
