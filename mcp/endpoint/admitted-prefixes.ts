import { type RequestTail, readTail, tailOffset } from '../protocol/canonical-request.js';
import type { Request } from '../protocol/envelope.js';

/** Beginnings of requests that are remembered. */
const KEPT = 64;

/** Compares bytes natively; works on any Uint8Array. */
const { compare } = Buffer.prototype;

interface Admitted {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly fields: number;
  /** The request that was admitted with this beginning. */
  readonly request: Request;
}

/**
 * What was decided about a request decides about the next one that begins with the same bytes on the same subject:
 * version, caller, callee, method, tenant, principal and chain stand there. Its age is checked each time.
 */
export interface AdmittedPrefixes {
  /** The request, admitted but for its age; undefined when this beginning is new here. */
  find(subject: string, payload: Uint8Array): Request | undefined;
  /** This request was admitted from this payload. */
  learn(subject: string, payload: Uint8Array, request: Request): void;
}

export function createAdmittedPrefixes(): AdmittedPrefixes {
  const bySubject = new Map<string, Admitted[]>();
  /** In the order in which they were learnt. */
  const all: Admitted[] = [];

  const forget = (old: Admitted): void => {
    const rest = (bySubject.get(old.subject) ?? []).filter((one) => one !== old);
    if (rest.length > 0) bySubject.set(old.subject, rest);
    else bySubject.delete(old.subject);
  };

  return {
    find(subject, payload) {
      const known = bySubject.get(subject);
      if (known === undefined) return undefined;
      for (const { bytes, fields, request } of known) {
        const { length } = bytes;
        if (payload.length <= length || payload[length - 1] !== bytes[length - 1]) continue;
        if (compare.call(payload, bytes, 0, length, 0, length) !== 0) continue;
        const tail = readTail(payload, length, fields);
        return tail && withTail(request, tail);
      }
      return undefined;
    },
    learn(subject, payload, request) {
      const at = tailOffset(payload);
      if (at === undefined) return;
      const bytes = payload.slice(0, at);
      const known = bySubject.get(subject) ?? [];
      if (known.some((one) => compare.call(one.bytes, bytes) === 0)) return;
      const fields = request.traceparent === undefined ? 7 : 8;
      const admitted = { subject, bytes, fields, request };
      bySubject.set(subject, [admitted, ...known]);
      all.push(admitted);
      if (all.length > KEPT) forget(all.shift() as Admitted);
    },
  };
}

/** Field by field: a request of this beginning has the same ones, and a second spread costs more than all of this. */
function withTail(known: Request, tail: RequestTail): Request {
  const request = { ...known };
  request.request_id = tail.request_id;
  request.timeout_ms = tail.timeout_ms;
  request.deadline_unix_ms = tail.deadline_unix_ms;
  request.sent_at_unix_ms = tail.sent_at_unix_ms;
  request.clock_offset_ms = tail.clock_offset_ms;
  request.attempt = tail.attempt;
  request.traceparent = tail.traceparent;
  request.params = tail.params;
  return request;
}
