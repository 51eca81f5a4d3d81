import { LIMITS } from '../../shared/limits.js';
import { isComponentId } from './component-id.js';
import type { Request } from './envelope.js';

type Raw = Readonly<Record<string, unknown>>;

const METHOD = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * The envelope as `requestSchema` parses it, written out for the hot path. Undefined: ask the schema, which either
 * knows more (fields that are rare) or refuses and names the fields. A property test proves that the two never differ.
 */
export function checkRequest(raw: Raw): Request | undefined {
  const { retry_policy, budget, approval } = raw;
  if (retry_policy !== undefined || budget !== undefined || approval !== undefined) return undefined;
  if (!hasIdentity(raw) || !hasTimes(raw) || !hasPlace(raw)) return undefined;
  const principal = checkPrincipal(raw.principal);
  if (principal === null) return undefined;
  const request = { ...raw } as Record<string, unknown>;
  request.jsonrpc ??= '2.0';
  request.kind ??= 'agent_call_request';
  request.params ??= {};
  request.clock_offset_ms ??= 0;
  request.tenant ??= 'default';
  request.chain ??= [];
  request.via ??= [];
  request.attempt ??= 1;
  if (principal !== undefined) request.principal = principal;
  return request as Request;
}

const hasIdentity = (raw: Raw): boolean =>
  (raw.jsonrpc === undefined || raw.jsonrpc === '2.0') &&
  (raw.kind === undefined || raw.kind === 'agent_call_request' || raw.kind === 'tool_call_request') &&
  typeof raw.mcp_version === 'string' &&
  isText(raw.request_id, 1, LIMITS.requestIdChars) &&
  isComponentId(raw.caller) &&
  isComponentId(raw.callee) &&
  typeof raw.method === 'string' &&
  METHOD.test(raw.method) &&
  // A map of the library's own making has no such key; of any other the schema decides.
  (raw.params === undefined || (isMap(raw.params) && !Object.hasOwn(raw.params, '__proto__')));

const hasTimes = (raw: Raw): boolean =>
  isUnixMs(raw.deadline_unix_ms) &&
  (raw.timeout_ms === undefined || (isUnixMs(raw.timeout_ms) && (raw.timeout_ms as number) > 0)) &&
  (raw.sent_at_unix_ms === undefined || isUnixMs(raw.sent_at_unix_ms)) &&
  (raw.clock_offset_ms === undefined || Number.isFinite(raw.clock_offset_ms)) &&
  (raw.attempt === undefined || (isUnixMs(raw.attempt) && (raw.attempt as number) >= 1));

const hasPlace = (raw: Raw): boolean =>
  (raw.tenant === undefined || typeof raw.tenant === 'string') &&
  (raw.session_context_id === undefined || isText(raw.session_context_id, 0, 128)) &&
  (raw.goal_id === undefined || isText(raw.goal_id, 0, 128)) &&
  (raw.step_id === undefined || isText(raw.step_id, 0, 64)) &&
  (raw.chain === undefined || areTexts(raw.chain, 64)) &&
  (raw.via === undefined || areTexts(raw.via, 4)) &&
  (raw.traceparent === undefined || isText(raw.traceparent, 0, 64)) &&
  (raw.consistency_level === undefined || raw.consistency_level === 'strong' || raw.consistency_level === 'eventual');

/** Null: not a principal. */
function checkPrincipal(raw: unknown): { id: string; roles: string[] } | undefined | null {
  if (raw === undefined) return undefined;
  if (!isMap(raw) || !isText(raw.id, 1, 128)) return null;
  const { id, roles = [] } = raw;
  if (!areTexts(roles, 32) || !roles.every((role) => isText(role, 1, 64))) return null;
  return { id: id as string, roles: [...roles] };
}

const isText = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'string' && value.length >= min && value.length <= max;

const areTexts = (value: unknown, max: number): value is string[] =>
  Array.isArray(value) && value.length <= max && value.every((one) => typeof one === 'string');

const isUnixMs = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
