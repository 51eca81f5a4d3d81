/**
 * The session: from a sentence and a conversation to the calls that are asked for.
 *
 * Owns the life cycle of a goal, the dialogue context and the language of rules. Calls nothing, stores nothing,
 * knows no approvals; time is not looked at.
 *
 * 1. Pure: the same text, context, packs and site give the same understanding.
 * 2. No text throws. Only a pack that is not valid does.
 * 3. A write is planned only when everything in its clause is explained; else it is asked about or left.
 * 4. What is denied, supposed, reported, asked, quoted or taken back is never a write; a report calls only for what
 *    an intent says a report calls for.
 * 5. A device or value to be written comes from the sentence, a pronoun or an answer, never from habit.
 * 6. References resolve in the context that is handed in and nowhere else.
 * 7. An action whose condition is not understood is not planned.
 * 8. A call about a thing that is served goes to an agent that serves it, or is refused.
 */

export { checkRulePack } from './check-rule-pack.js';
export { type DialogueContext, newDialogue, type OpenPrompt } from './dialogue.js';
export {
  createSessionEngine,
  type SessionEngine,
  type SessionEngineDependencies,
} from './engine.js';
export {
  type ConditionRule,
  type IntentRule,
  type RulePack,
  type RulePackInput,
  rulePackSchema,
} from './language/rule-pack.js';
export type { ComponentPack } from './language/serving.js';
export { zoneName } from './language/zone-name.js';
export {
  InvalidStateTransition,
  isFinal,
  type Life,
  moveTo,
  newLife,
  PHASES,
  type Phase,
  STATES,
  type State,
  setPhase,
  TRANSITIONS,
} from './lifecycle.js';
export { createPackShelf, type PackShelf } from './pack-shelf.js';
export type { UnderstandOptions, Understood } from './understander.js';
export type { Explanation, IntendedAction, Prompt, Understanding } from './understanding.js';
