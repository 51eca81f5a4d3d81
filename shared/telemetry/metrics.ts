import { metrics as otel } from '@opentelemetry/api';

/**
 * Every metric of the product: `hermes.<domain>.<measure>`, with unit and description. One created elsewhere fails a
 * test. Without a meter provider (libraries, tests) recording costs nothing and goes nowhere.
 */
export const METRICS = {
  mcpCalls: {
    kind: 'counter',
    name: 'hermes.mcp.calls',
    unit: '{call}',
    description: 'calls answered, by callee, method and result',
  },
  mcpRejected: {
    kind: 'counter',
    name: 'hermes.mcp.rejected',
    unit: '{message}',
    description: 'messages refused before they reached a method, by reason',
  },
  mcpLate: {
    kind: 'counter',
    name: 'hermes.mcp.late_replies',
    unit: '{message}',
    description: 'answers that came after their call had ended',
  },
  mcpDeprecated: {
    kind: 'counter',
    name: 'hermes.mcp.deprecated_usage',
    unit: '{message}',
    description: 'messages of an old protocol version, by version and caller',
  },
  mcpDuration: {
    kind: 'histogram',
    name: 'hermes.mcp.duration',
    unit: 'ms',
    description: 'time from sending a call to its answer',
  },
  mailboxDepth: {
    kind: 'histogram',
    name: 'hermes.mcp.mailbox_depth',
    unit: '{call}',
    description: 'calls waiting when one more arrived',
  },
  mcpStuck: {
    kind: 'counter',
    name: 'hermes.mcp.stuck_calls',
    unit: '{call}',
    description: 'calls given up because they did not end long after their deadline, by method',
  },
  goals: { kind: 'counter', name: 'hermes.goal.ended', unit: '{goal}', description: 'goals ended, by state' },
  goalDuration: {
    kind: 'histogram',
    name: 'hermes.goal.duration',
    unit: 'ms',
    description: 'time from acceptance to the end of a goal',
  },
  toolRuns: {
    kind: 'counter',
    name: 'hermes.tool.runs',
    unit: '{operation}',
    description: 'tool executions, by tool and outcome',
  },
  rollbacks: {
    kind: 'counter',
    name: 'hermes.tool.rollbacks',
    unit: '{operation}',
    description: 'rollbacks executed, by tool and outcome',
  },
  recordAppends: {
    kind: 'counter',
    name: 'hermes.record.appends',
    unit: '{entry}',
    description: 'entries appended, by kind',
  },
  deviceRequests: {
    kind: 'counter',
    name: 'hermes.device.requests',
    unit: '{request}',
    description: 'requests to device links, by link and result',
  },
  sessionParse: {
    kind: 'histogram',
    name: 'hermes.session.parse_ms',
    unit: 'ms',
    description: 'time to parse one sentence',
  },
  sessionFallback: {
    kind: 'counter',
    name: 'hermes.session.fallback_ratio',
    unit: '{sentence}',
    description: 'sentences, by who placed them: rules, playbook, model, nobody',
  },
  eventsEmitted: {
    kind: 'counter',
    name: 'hermes.event.emitted',
    unit: '{event}',
    description: 'events emitted, by topic',
  },
  memoryRefused: {
    kind: 'counter',
    name: 'hermes.memory.refused',
    unit: '{refusal}',
    description: 'reads and writes of memory and record that were refused, by what was tried',
  },
  memoryEvicted: {
    kind: 'counter',
    name: 'hermes.memory.evicted',
    unit: '{snapshot}',
    description: 'expired snapshots that left the hot view',
  },
  memorySnapshots: {
    kind: 'histogram',
    name: 'hermes.memory.snapshots',
    unit: '{snapshot}',
    description: 'snapshots in the hot view, by component and kind of scope',
  },
  diskFree: {
    kind: 'histogram',
    name: 'hermes.disk.free',
    unit: 'By',
    description: 'space that is left on the disk of log and views',
  },
  busFaults: {
    kind: 'counter',
    name: 'hermes.bus.faults',
    unit: '{fault}',
    description: 'faults of the connections to the broker, by connection and kind',
  },
} as const;

export type MetricKey = keyof typeof METRICS;

export interface Metrics {
  count(metric: MetricKey, labels?: Readonly<Record<string, string>>, by?: number): void;
  measure(metric: MetricKey, value: number, labels?: Readonly<Record<string, string>>): void;
}

/** The metrics door over the OpenTelemetry API. */
export function openMetrics(): Metrics {
  const meter = otel.getMeter('hermes-network');
  const instruments = new Map<
    MetricKey,
    { add?: (n: number, l?: object) => void; record?: (n: number, l?: object) => void }
  >();
  const instrument = (key: MetricKey) => {
    const known = instruments.get(key);
    if (known) return known;
    const { kind, name, unit, description } = METRICS[key];
    const made =
      kind === 'counter'
        ? meter.createCounter(name, { unit, description })
        : meter.createHistogram(name, { unit, description });
    instruments.set(key, made as { add?: (n: number) => void; record?: (n: number) => void });
    return made as { add?: (n: number, l?: object) => void; record?: (n: number, l?: object) => void };
  };
  return {
    count: (metric, labels = {}, by = 1) => instrument(metric).add?.(by, labels),
    measure: (metric, value, labels = {}) => instrument(metric).record?.(value, labels),
  };
}
