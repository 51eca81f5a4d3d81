import type { Ids, SpanId, TraceId } from '../../shared/ids.js';

/** W3C Trace Context, level 1: `00-<trace id>-<parent span id>-<flags>`. */
export interface TraceContext {
  readonly trace_id: TraceId;
  readonly span_id: SpanId;
}

export const startTrace = (ids: Ids): TraceContext => ({ trace_id: ids.trace(), span_id: ids.span() });
export const childSpan = (ids: Ids, parent: TraceContext): TraceContext => ({ ...parent, span_id: ids.span() });
/** @param sampled whether spans of this trace are recorded; ids it has either way. */
export const formatTraceparent = ({ trace_id, span_id }: TraceContext, sampled = true): string =>
  `00-${trace_id}-${span_id}-${sampled ? '01' : '00'}`;

/**
 * Whether a trace belongs to the sampled share: said by the random last bits of its id (W3C Trace Context), so that
 * whoever goes on with it, after a restart too, says the same. @param ratio 0 to 1.
 */
export const isInShare = (id: TraceId, ratio: number): boolean => Number.parseInt(id.slice(-8), 16) < ratio * 2 ** 32;

export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text ?? '');
  return match ? { trace_id: match[1] as TraceId, span_id: match[2] as SpanId } : undefined;
}

const ODD: ReadonlySet<string> = new Set('13579bdf');

/** The sampled flag: the last bit of the flags. */
export const isSampled = (traceparent: string | undefined): boolean =>
  traceparent !== undefined && ODD.has(traceparent.charAt(54));
