import { context, SpanStatusCode, trace } from '@opentelemetry/api';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * The tracing door over the OpenTelemetry API: runs `work` in a span whose parent came over the wire (W3C Trace
 * Context). Without a tracer provider it is a plain call.
 */
export async function inSpan<T>(
  name: string,
  traceparent: string | undefined,
  attributes: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  const match = TRACEPARENT.exec(traceparent ?? '');
  const parent = match
    ? trace.setSpanContext(context.active(), {
        traceId: match[1] as string,
        spanId: match[2] as string,
        traceFlags: Number.parseInt(match[3] as string, 16),
        isRemote: true,
      })
    : context.active();
  return trace.getTracer('hermes-network').startActiveSpan(name, { attributes }, parent, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The running span as a traceparent; undefined when nothing is traced. */
export function activeTraceparent(): string | undefined {
  const active = trace.getActiveSpan()?.spanContext();
  if (!active || !trace.isSpanContextValid(active)) return undefined;
  return `00-${active.traceId}-${active.spanId}-${active.traceFlags.toString(16).padStart(2, '0')}`;
}
