/**
 * MCP, the Multi-Component Protocol: how components talk, and nothing else.
 *
 * Owns: messages and their versions, subjects, the caller with its one layer of retries, the endpoint with its
 * mailbox, events, discovery, the journal. Transports are in ./transport.
 *  1. Caller and callee are versioned component ids; every call carries a deadline; every failure is one of four codes.
 *  2. A repeat goes out under the same request id; max_attempts limits deliveries of an unanswered call.
 *  3. The last token of a call's subject is its caller; a message that claims another is refused.
 *  4. An endpoint answers everything that has a lawful reply address, and survives what it serves.
 */
export { type BeatListener, listenToBeats } from './beats.js';
export type { CallSpec } from './caller/call-spec.js';
export { type Caller, type CallerDeps, type CallerOptions, type CallResult, createCaller } from './caller/caller.js';
export { createDeadLetters, type DeadLetter, type DeadLetters } from './dead-letters.js';
export { createDiscovery, type Discovery } from './discovery.js';
export { type AllowList, checkAllowed } from './endpoint/allow-list.js';
export { type Endpoint, openEndpoint } from './endpoint/endpoint.js';
export { createMailbox, type Mailbox, Ticket } from './endpoint/mailbox.js';
export type { ServedCall } from './endpoint/received-call.js';
export { Stages } from './endpoint/stages.js';
export { createEvents, type Events } from './events.js';
export { type Journal, type JournalEntry, type JournalQuery, openJournal, type Sealer } from './journal.js';
export { createLocalBus, type LocalBus, type LocalCall } from './local-bus.js';
export { decodeMessage, encodeMessage, packValue, unpackValue } from './protocol/codec.js';
export {
  COMPONENT_NAME,
  type ComponentId,
  componentName,
  formatComponentId,
  parseComponentId,
  RESERVED_NAMES,
  serves,
  TENANT,
} from './protocol/component-id.js';
export {
  DEFAULT_RETRY,
  type Event,
  MCP_VERSION,
  type Principal,
  principalSchema,
  type Request,
  type Response,
  type RetryPolicy,
  requestSchema,
  type Stage,
  TOPICS,
  type Topic,
} from './protocol/envelope.js';
export { fieldProblems, parseOrRefuse } from './protocol/field-problems.js';
export {
  type EffectClass,
  type Manifest,
  type MethodManifest,
  manifestSchema,
  RISKS,
  type Risk,
} from './protocol/manifest.js';
export { grantedSubjects, isCountersigned, lastToken, sourceToken, subjects } from './protocol/subjects.js';
export {
  childSpan,
  formatTraceparent,
  isInShare,
  parseTraceparent,
  startTrace,
  type TraceContext,
} from './protocol/trace-context.js';
export { SUPPORTED_MCP_VERSIONS } from './protocol/versions.js';
export {
  createVersionUse,
  sumVersionReports,
  type VersionReport,
  type VersionShare,
  type VersionUse,
} from './version-use.js';
