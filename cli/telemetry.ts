import { metrics as otelMetrics } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Config } from '../shared/config.js';

export interface Telemetry {
  /** Everything measured, in Prometheus' text format. */
  readonly metricsText: () => Promise<string>;
}

/** OpenTelemetry is set up here and nowhere else; without an OTLP endpoint traces go nowhere. */
export function openTelemetry(config: Pick<Config, 'otlp_endpoint'>): Telemetry {
  const resource = resourceFromAttributes({ 'service.name': 'hermes-network' });
  const exporter = new PrometheusExporter({ preventServerStart: true });
  otelMetrics.setGlobalMeterProvider(new MeterProvider({ resource, readers: [exporter] }));
  if (config.otlp_endpoint) {
    const spans = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${config.otlp_endpoint}/v1/traces` }));
    // Without a context manager: spans name their parents (shared/telemetry/tracing.ts), and promises stay cheap.
    new NodeTracerProvider({ resource, spanProcessors: [spans] }).register({ contextManager: null });
  }
  const serializer = new PrometheusSerializer();
  return {
    async metricsText() {
      const { resourceMetrics } = await exporter.collect();
      return serializer.serialize(resourceMetrics);
    },
  };
}
