import { ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * The tracing door over the OpenTelemetry API: runs `work` in a span whose parent came over the wire (W3C Trace
 * Context), and hands it the span's own traceparent (the given one when nothing is traced). What belongs to what is
 * said by that value and never by the context of the running code: on Node 20 the first use of an AsyncLocalStorage
 * makes every promise of the process dearer, by half of what a whole call costs.
 */
export async function inSpan<T>(
  name: string,
  traceparent: string | undefined,
  attributes: Readonly<Record<string, string>>,
  work: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  const match = TRACEPARENT.exec(traceparent ?? '');
  const parent = match
    ? trace.setSpanContext(ROOT_CONTEXT, {
        traceId: match[1] as string,
        spanId: match[2] as string,
        traceFlags: Number.parseInt(match[3] as string, 16),
        isRemote: true,
      })
    : ROOT_CONTEXT;
  const span = trace.getTracer('hermes-network').startSpan(name, { attributes }, parent);
  const own = span.spanContext();
  const flags = own.traceFlags.toString(16).padStart(2, '0');
  try {
    return await work(span.isRecording() ? `00-${own.traceId}-${own.spanId}-${flags}` : traceparent);
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    span.end();
  }
}
