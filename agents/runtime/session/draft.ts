import type { WhyNot } from './language/mood.js';

/**
 * What one sentence asks for, before ids are given and gaps are closed. Plain JSON: a question keeps the drafts in
 * the dialogue, its answer fills them.
 */
export interface SlotValue {
  readonly kind: string;
  readonly text: string;
  /** None: the site does not know it. Several: not clear which. */
  readonly ids: readonly (string | number)[];
  readonly unit?: string;
  readonly nearest?: readonly string[];
}

/** One condition on the result of a read. */
export interface Term {
  readonly component: string;
  readonly condition: string;
  readonly negated: boolean;
  /** Empty: the devices of the guarded action. */
  readonly devices: readonly SlotValue[];
  /** Read anew: "if it is still offline". */
  readonly fresh: boolean;
}

export interface Guard {
  /** Same for both branches of one condition. */
  readonly id: number;
  readonly terms: readonly Term[];
  readonly join: 'or' | 'and';
  readonly negated: boolean;
}

export interface Draft {
  readonly component: string;
  readonly intent: string;
  readonly slots: Readonly<Record<string, readonly SlotValue[]>>;
  /** Clause of the sentence; several devices of one clause do not wait for one another. */
  readonly clause: number;
  readonly guards: readonly Guard[];
  /** Words that make it unclear whether it is ordered; a person is asked. */
  readonly doubt?: string;
}

/** An action that was named and is not done. */
export interface NotDone {
  readonly intent: string;
  readonly why: WhyNot;
}

export interface Composition {
  readonly drafts: readonly Draft[];
  readonly notDone: readonly NotDone[];
  /** Clauses that no rule reads. */
  readonly unclear: readonly string[];
}
