/**
 * Admission: what a tool has to show before it may run.
 *  1. The scan reads every module that an agent's entry reaches: a tool has its context and nothing else.
 *  2. A lock signs files and manifests; whether it is asked for is the operator's mode.
 *  3. A manifest that leaves out what recovery and approval need is refused, whatever the mode.
 *  4. Everything here is data in, words out: files are read, and children started, by those above.
 */
export { fileProblems, LOCK_FILE, manifestProblems, type ShippedFiles, signTools, toolLockSchema } from './lock.js';
export { type Scan, type ScanFinding, type SourceReader, scanSources } from './scan.js';
export { auditGrants, type GrantAudit, ruleProblems } from './tool-rules.js';
