/**
 * The Hermes cell: what every agent is made of. One runtime for workers and for the coordinator.
 *  1. What an agent has of the outside are its doors, handed in; there is nothing ambient.
 *  2. An agent announces itself when it can answer, and says goodbye before it stops.
 *  3. Session, plan, tools, record, memory and answer are rooms with one door each.
 */
export { type Agent, startAgent } from './agent.js';
export { type Answer, type AnswerSources, type Report, renderAnswer, renderOutcome, show } from './answer/index.js';
export {
  type Approval,
  type ApprovalGrant,
  type ApprovalId,
  type ApprovalNeed,
  type ApprovalPolicy,
  DEFAULT_APPROVAL_POLICY,
  type Decision,
  grantOf,
} from './approval/index.js';
export {
  type AuditFinding,
  type AuditVerdict,
  signerOf,
  verifyPackage,
} from './audit/index.js';
export { buildPlan, type PlanSources } from './build-plan.js';
export { type AgentDefinition, type Cell, openCell, raiseAlarm } from './cell.js';
export type { AgentDoors, AgentPolicy } from './doors.js';
export { linkCause } from './link-cause.js';
export { checkScope, DEFAULT_ROLES, patternProblem, type Roles } from './memory/index.js';
export { type BuiltinMethod, READ_METHODS } from './methods/index.js';
export {
  checkPlan,
  compileCondition,
  type ExecutorPorts,
  executePlan,
  isSettled,
  methodOf,
  type Plan,
  type PlanStep,
  STEP_STATES,
  type StepOutcome,
  type StepStatus,
} from './plan/index.js';
export {
  type ComponentKey,
  checkLog,
  createRecord,
  type Effect,
  type EntryDraft,
  entryHash,
  foldScope,
  type LogCheck,
  openVault,
  openView,
  type Projection,
  parseScope,
  RETENTION,
  type RecordBook,
  readDataKeys,
  rewrapDataKeys,
  rotateDataKey,
  type Snapshot,
  type SnapshotDraft,
  type StoredEntry,
  scopes,
  type View,
  verifyChain,
} from './record/index.js';
export {
  checkRulePack,
  createPackShelf,
  createSessionEngine,
  type DialogueContext,
  type IntendedAction,
  InvalidStateTransition,
  isFinal,
  moveTo,
  newDialogue,
  type PackShelf,
  type Phase,
  type Prompt,
  type RulePack,
  type RulePackInput,
  rulePackSchema,
  type State,
  type Understanding,
} from './session/index.js';
export { createSessionStore, type SessionState, type SessionStore } from './session-store.js';
export { type ToldPoints, tellPoints, toldPointsSchema } from './told-points.js';
export {
  auditGrants,
  type CaseRun,
  defineTool,
  fileProblems,
  isRead,
  judgeCase,
  LOCK_FILE,
  manifestProblems,
  ruleProblems,
  type ScanFinding,
  type ShippedFiles,
  type SourceReader,
  scanSources,
  signTools,
  type TestCase,
  type Tool,
  type ToolContext,
  toolLockSchema,
} from './tools/index.js';
