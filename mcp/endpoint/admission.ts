import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import type { Metrics } from '../../shared/telemetry/metrics.js';
import { type ComponentId, formatComponentId, parseComponentId, serves } from '../protocol/component-id.js';
import { type Request, requestSchema } from '../protocol/envelope.js';
import { parseOrRefuse } from '../protocol/field-problems.js';
import { checkRequest } from '../protocol/request-check.js';
import { subjects } from '../protocol/subjects.js';
import { upgradeRequest } from '../protocol/versions.js';
import { type AllowList, checkAllowed } from './allow-list.js';

export interface AdmissionPolicy {
  readonly self: ComponentId;
  readonly tenant: string;
  readonly allow: AllowList;
  readonly maySpeakForPeople: ReadonlySet<string>;
  readonly metrics: Metrics;
  /** Its age was checked when it came, and says nothing now: only its deadline counts. */
  readonly anyAge?: boolean;
}

/**
 * Whether a message from outside becomes a call: version, shape, identity, tenant, right, age, chain, in this order.
 * @param subjectCaller last token of the subject: who the transport says is speaking.
 * @throws HermesError 400, 403 or 408 with the reason.
 */
export function admit(
  raw: Record<string, unknown>,
  subjectCaller: string,
  now: number,
  policy: AdmissionPolicy,
): Request {
  const { message, deprecated } = upgradeRequest(raw, now);
  if (deprecated) {
    policy.metrics.count('mcpDeprecated', { version: deprecated, caller: subjectCaller });
  }
  const request = checkRequest(message) ?? parseOrRefuse(requestSchema, message, 'request');
  checkIdentity(request, subjectCaller, policy);
  checkCallee(request, policy.self);
  checkAllowed(policy.allow, request.method, subjectCaller);
  if (!policy.anyAge) checkAge(request, now);
  checkDepth(request);
  return { ...request, principal: principalOf(request, subjectCaller, policy) };
}

/**
 * Before anything of the message is looked at: an answer, a refusal too, goes only to whom the transport says is
 * speaking. Nobody is made to publish where a stranger points.
 */
export function checkReply(reply: string | undefined, subjectCaller: string, tenant: string): true {
  if (reply === undefined || reply.startsWith(subjects.replyPrefix(tenant, subjectCaller))) return true;
  throw new HermesError('bad_reply', `the reply subject is not under ${subjectCaller}'s prefix`);
}

function checkIdentity(request: Request, subjectCaller: string, policy: AdmissionPolicy): void {
  const caller = parseComponentId(request.caller).name;
  if (caller !== subjectCaller) {
    throw new HermesError('bad_caller', `the subject says ${subjectCaller}, the message says ${caller}`);
  }
  if (request.tenant !== policy.tenant) {
    throw new HermesError('wrong_tenant', `tenant ${request.tenant} is not served here`);
  }
}

function checkCallee(request: Request, self: ComponentId): void {
  if (serves(self, parseComponentId(request.callee))) return;
  throw new HermesError('bad_version', `${request.callee} is not served by ${formatComponentId(self)}`, {
    supported: [formatComponentId(self)],
  });
}

/** Too old or from another clock: the callee does not guess, it says what time it is. */
export function checkAge(request: Request, now: number): void {
  if (request.sent_at_unix_ms === undefined) return;
  const age = now - (request.sent_at_unix_ms + request.clock_offset_ms);
  if (Math.abs(age) <= LIMITS.clockSkewMs) return;
  throw new HermesError('stale_or_skewed', `the message is ${Math.round(age)} ms old by this clock`, {
    started: false,
    now,
  });
}

/** Whether it is a cycle says whoever serves it: that depends on what is open there (call-cycle.ts). */
function checkDepth(request: Request): void {
  if (request.chain.length > LIMITS.chainDepth) {
    throw new HermesError('too_deep', `the call chain is ${request.chain.length} long, at most ${LIMITS.chainDepth}`);
  }
}

/** Only those who may speak for people set a principal; others act as themselves whatever they claim. */
function principalOf(request: Request, caller: string, policy: AdmissionPolicy): Request['principal'] {
  const mayClaim = policy.maySpeakForPeople.has(caller);
  return mayClaim && request.principal ? request.principal : { id: `component:${caller}`, roles: [] };
}
