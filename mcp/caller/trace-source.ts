import type { Ids } from '../../shared/ids.js';
import { inSpan } from '../../shared/telemetry/tracing.js';
import { isSampled } from '../protocol/trace-context.js';
import type { Asking } from './asking.js';

/** Begins the traces of calls that belong to none. */
export interface TraceSource {
  /** A traceparent (W3C Trace Context): always with ids, sampled for the share that was asked for. */
  begin(): string;
}

const HEX_8 = (count: number): string => count.toString(16).padStart(8, '0');

/** Ids are a random start and a count: unique like random ones, at the price of a string. @param ratio 0 to 1. */
export function createTraceSource({ ids }: { ids: Ids }, ratio: number): TraceSource {
  const trace = ids.trace().slice(0, 24);
  const span = ids.span().slice(0, 8);
  let count = 0;
  let share = 0;
  return {
    begin() {
      count = (count + 1) % 2 ** 32;
      share += ratio;
      const sampled = share >= 1;
      if (sampled) share -= 1;
      const n = HEX_8(count);
      return `00-${trace}${n}-${span}${n}-${sampled ? '01' : '00'}`;
    },
  };
}

/** The call in a span of its own where its trace is sampled; deciding first spares what would be thrown away. */
export function traced<T>(asking: Asking, call: () => Promise<T>): Promise<T> {
  const { traceparent, spec, requestId } = asking;
  if (!isSampled(traceparent)) return call();
  const attributes = { 'hermes.request_id': requestId };
  return inSpan(`call ${spec.method}`, traceparent, attributes, (own) => {
    asking.traceparent = own;
    return call();
  });
}
