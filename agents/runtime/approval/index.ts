/**
 * Approvals: people in front of risky effects.
 *  1. The callee decides whether a call needs one, and checks it; only a goal's owner asks people.
 *  2. An approval is bound to tool, parameters, device and state, is signed, expires, and is used once.
 *  3. Asking, deciding and using are entries.
 */
export {
  type Approval,
  type ApprovalGrant,
  type ApprovalId,
  type ApprovalNeed,
  approvalHash,
  type Decision,
  type PlannedEffect,
  stateHash,
} from './approval.js';
export { type ApprovalGate, createApprovalGate } from './gate.js';
export { grantOf, isGenuine, readGrant } from './grant.js';
export { type ApprovalPolicy, asksFor, DEFAULT_APPROVAL_POLICY } from './policy.js';
export { approvalUses, entryOfUse } from './uses.js';
