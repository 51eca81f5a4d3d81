import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METRICS } from '../../shared/telemetry/metrics.js';
import {
  isTest,
  listed,
  loadSources,
  nameIn,
  parseSource,
  ROOT,
  type Source,
  type Violation,
  walk,
} from '../support/arch-source.js';
import { tableRows } from '../support/arch-tables.js';

interface Metric {
  readonly kind: string;
  readonly name: string;
  readonly unit: string;
  readonly description: string;
}

const DOOR = 'shared/telemetry/metrics.ts';

function metricTableViolations(page: string, metrics: readonly Metric[]): string[] {
  const wanted = metrics.map(({ name, kind, unit, description }) => {
    return `| \`${name}\` | ${kind} | \`${unit}\` | ${description} |`;
  });
  const written = tableRows(page);
  return [
    ...metrics
      .filter(({ name }) => !/^hermes\.[a-z]+\.[a-z]+(_[a-z]+)*$/.test(name))
      .map(({ name }) => `${name}: name it hermes.<domain>.<measure>`),
    ...wanted.filter((row) => !written.includes(row)).map((row) => `docs/metrics.md lacks: ${row}`),
    ...written.filter((row) => !wanted.includes(row)).map((row) => `${DOOR} does not say: ${row}`),
  ];
}

function instrumentViolations(sources: readonly Source[]): Violation[] {
  return sources
    .filter(({ path }) => path !== DOOR && !isTest(path))
    .flatMap((source) => {
      const found: Violation[] = [];
      walk(source.program, (node) => {
        const called = node.type === 'MemberExpression' ? nameIn(node, 'property') : undefined;
        if (!called || !/^create(Observable)?(Counter|UpDownCounter|Histogram|Gauge)$/.test(called)) return;
        const message = `${called}: add a row to METRICS in ${DOOR} and use the Metrics door`;
        found.push({ path: source.path, line: source.lineAt(node.start), message });
      });
      return found;
    });
}

/** A row that nothing records promises a figure that never comes. */
function unrecorded(keys: readonly string[], sources: readonly Source[]): string[] {
  const recorded = new Set<string>();
  for (const { program } of sources.filter(({ path }) => path !== DOOR && !isTest(path))) {
    walk(program, (node) => {
      if (node.type === 'Literal' && typeof node.value === 'string') recorded.add(node.value);
    });
  }
  return keys.filter((key) => !recorded.has(key));
}

test('every metric is recorded somewhere', () => {
  expect(unrecorded(Object.keys(METRICS), loadSources())).toEqual([]);
  expect(unrecorded(['mcpCalls'], [parseSource('mcp/a.ts', "metrics.count('mcpLate');")])).toEqual(['mcpCalls']);
});

test('every metric has a name of the house, and docs/metrics.md says the same as the table', () => {
  const page = readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8');
  expect(metricTableViolations(page, Object.values(METRICS))).toEqual([]);
  expect(new Set(Object.values(METRICS).map(({ name }) => name)).size).toBe(Object.keys(METRICS).length);
});

test('instruments are created in the metrics door only', () => {
  expect(listed(instrumentViolations(loadSources()))).toEqual([]);
});

test('a bad name, a missing row, a stray row and an instrument of one’s own are caught', () => {
  const metric: Metric = { kind: 'counter', name: 'Hermes-calls', unit: 'ms', description: 'planted' };
  expect(metricTableViolations('', [metric])).toHaveLength(2);
  expect(metricTableViolations('| `hermes.a.b` | counter | `ms` | planted |', [])).toHaveLength(1);
  expect(instrumentViolations([parseSource('mcp/a.ts', "meter.createCounter('a');")])).toHaveLength(1);
});
