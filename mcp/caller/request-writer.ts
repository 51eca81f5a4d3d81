import { encodePrefix, encodeRequest } from '../protocol/canonical-request.js';
import { encodeMessage } from '../protocol/codec.js';
import { componentName } from '../protocol/component-id.js';
import { MCP_VERSION } from '../protocol/envelope.js';
import { downgradeRequest } from '../protocol/versions.js';
import type { Asking } from './asking.js';
import type { CallSpec } from './call-spec.js';
import { createPairMemo } from './pair-memo.js';

/** What differs from delivery to delivery. */
export interface Sending {
  /** Our clock, Unix ms. */
  readonly now: number;
  readonly clockOffsetMs: number;
  readonly traceparent: string | undefined;
}

/** Beginnings kept for each method: as many goals as usually run beside each other. */
const KEPT = 4;

interface Written {
  readonly spec: CallSpec;
  readonly traced: boolean;
  readonly bytes: Uint8Array;
}

/** Writes requests; what stays the same between the calls of one goal is encoded once. */
export interface RequestWriter {
  write(asking: Asking, sending: Sending): Uint8Array;
  /** For a callee that speaks 1.1 only. */
  writeOld(asking: Asking, sending: Sending): Uint8Array;
}

export function createRequestWriter(options: { component: string; tenant: string }): RequestWriter {
  const { component, tenant } = options;
  const own = componentName(component);
  const kept = createPairMemo((): Written[] => []);

  const constant = (spec: CallSpec): Record<string, unknown> => ({
    jsonrpc: '2.0',
    mcp_version: MCP_VERSION,
    kind: 'agent_call_request',
    caller: component,
    callee: spec.callee,
    method: spec.method,
    tenant,
    principal: spec.principal,
    goal_id: spec.goalId,
    step_id: spec.stepId,
    session_context_id: spec.sessionContextId,
    consistency_level: spec.consistency,
    chain: [...(spec.chain ?? []), component],
  });

  const tail = ({ spec, requestId, deliveries }: Asking, { now, clockOffsetMs, traceparent }: Sending) => ({
    request_id: requestId,
    timeout_ms: Math.max(1, Math.round(spec.deadlineAt - now)),
    deadline_unix_ms: Math.round(spec.deadlineAt),
    sent_at_unix_ms: Math.round(now),
    clock_offset_ms: clockOffsetMs,
    attempt: deliveries,
    traceparent,
    ...(spec.approval ? { approval: spec.approval } : {}),
    params: spec.params,
  });

  const prefix = (spec: CallSpec, traced: boolean): Uint8Array | undefined => {
    const written = kept.of(spec.callee, spec.method);
    for (const one of written) if (one.traced === traced && isSame(one.spec, spec)) return one.bytes;
    const bytes = encodePrefix(constant(spec), traced);
    if (bytes) written.unshift({ spec, traced, bytes });
    if (written.length > KEPT) written.pop();
    return bytes;
  };

  return {
    write(asking, sending) {
      const last = tail(asking, sending);
      // An instance that asks another of its own component speaks on their direct subject, as when it passes on.
      if (asking.callee.name === own) return encodeMessage({ ...constant(asking.spec), via: [component], ...last });
      // A rare call, and no field of the canonical form.
      if (asking.spec.approval) return encodeMessage({ ...constant(asking.spec), ...last });
      const begin = prefix(asking.spec, sending.traceparent !== undefined);
      const bytes = begin && encodeRequest(begin, last);
      return bytes ?? encodeMessage({ ...constant(asking.spec), ...last });
    },
    writeOld: (asking, sending) =>
      encodeMessage(downgradeRequest({ ...constant(asking.spec), ...tail(asking, sending) })),
  };
}

/** Objects by identity: what a caller changes in place it hands in anew. */
const isSame = (a: CallSpec, b: CallSpec): boolean =>
  a.principal === b.principal &&
  a.goalId === b.goalId &&
  a.stepId === b.stepId &&
  a.sessionContextId === b.sessionContextId &&
  a.consistency === b.consistency &&
  sameChain(a.chain, b.chain);

function sameChain(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
