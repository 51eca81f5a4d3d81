/**
 * Plans: directed acyclic graphs of steps over agents' methods.
 *  1. Everything that can be wrong about a plan is found before its first effect (`checkPlan`), all faults at once.
 *  2. Expressions (CEL) see results of steps that the step waits for, and nothing else.
 *  3. The executor has no memory of its own: given the statuses of an interrupted run it goes on from there.
 */
export { checkPlan, type ManifestOf, methodOf } from './check.js';
export { type ExecutorPorts, type ExecutorResult, executePlan, type StepOutcome } from './executor.js';
export { compileCondition, compileExpression, type Expression, type ExpressionScope } from './expression.js';
export {
  type Conclusion,
  isLacking,
  isSettled,
  PENDING,
  type Plan,
  type PlanStep,
  STEP_STATES,
  type StepState,
  type StepStatus,
  satisfies,
} from './plan.js';
