import type { Language } from '../../../shared/site.js';

/**
 * What the session engine makes of one sentence. It writes no prose: questions and refusals are reasons with facts,
 * `answer/` renders them.
 */
export interface Understanding {
  readonly outcome: 'plan' | 'ask' | 'refuse' | 'not_understood' | 'repeat' | 'undo' | 'none';
  readonly language: Language;
  /** One line a person can check: intent and slots of each action, and what is not done. */
  readonly understood: string;
  readonly actions: readonly IntendedAction[];
  readonly prompt?: Prompt;
  /** The sentence was the answer to the dialogue's open question. */
  readonly answers_prompt?: boolean;
  readonly placed_by: 'rules' | 'playbook' | 'model' | 'nobody';
  readonly explain?: readonly Explanation[];
  /** The dialogue stack after this sentence. */
  readonly stack: readonly string[];
}

/** One call that the sentence asks for; the planner makes a step of it. */
export interface IntendedAction {
  /** `s1`, `s2`… in the order of the sentence; unique in the plan. */
  readonly id: string;
  readonly intent: string;
  /** Component name without version, as announced. */
  readonly callee: string;
  readonly method: string;
  readonly effect: 'read' | 'write';
  readonly params: Readonly<Record<string, unknown>>;
  /** JSON pointer of a parameter → CEL over `steps`. */
  readonly bind: Readonly<Record<string, string>>;
  /** CEL over `steps`, `steps.s1.result.status == 'OFFLINE'`. */
  readonly when?: string;
  readonly depends_on: readonly string[];
}

export interface Prompt {
  readonly reason: 'missing' | 'ambiguous' | 'unknown_entity' | 'read_or_write';
  readonly text: string;
  readonly missing: readonly string[];
  readonly candidates: readonly string[];
}

export interface Explanation {
  readonly clause: string;
  readonly tried: number;
  readonly best?: { readonly intent: string; readonly score: number };
  readonly why: string;
}
