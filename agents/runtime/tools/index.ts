/**
 * Tools: one call, one responsibility, safe to repeat, able to roll back.
 *  1. A tool's only I/O is its context; each use is checked against declaration and grant and noted as an effect.
 *  2. The record is the claim: no effect without a `started` entry, no second effect under one request id.
 *  3. What failed is rolled back or the record says why not; what nobody knows goes to a person.
 */
export {
  auditGrants,
  fileProblems,
  type GrantAudit,
  LOCK_FILE,
  manifestProblems,
  ruleProblems,
  type ScanFinding,
  type ShippedFiles,
  type SourceReader,
  scanSources,
  signTools,
  toolLockSchema,
} from './admission/index.js';
export { type Capabilities, type CapabilityDeps, covers } from './capabilities.js';
export {
  defineTool,
  isRead,
  type OperationSoFar,
  type PreState,
  type Rollback,
  type SnapshotAbout,
  type Tool,
  type ToolContext,
  type ToolSpec,
} from './define-tool.js';
export { createEnds, type Ends } from './ends.js';
export { createIdentify, type Identify } from './identity.js';
export type { RunnerDeps } from './operation.js';
export { createRunner, type Runner } from './runner.js';
export { type CaseRun, judgeCase, type TestCase } from './test-case.js';
