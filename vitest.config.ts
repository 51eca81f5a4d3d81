import { defineConfig } from 'vitest/config';
import { summaryReporter } from './tests/support/summary-reporter.js';

const suite = (name: string, testTimeout = 10_000, beside: readonly string[] = []) => ({
  test: { name, include: [`tests/${name}/**/*.test.ts`, ...beside], testTimeout, hookTimeout: 30_000 },
});
/** An agent may bring its tests in its own folder. */
const AGENTS = ['agents/*/*.test.ts', 'examples/*/*.test.ts'];

/** Set by tests/run-all.ts: where the summary of this run goes. */
const summary = process.env.TEST_SUMMARY_FILE;

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    reporters: summary === undefined ? ['default'] : ['default', summaryReporter(summary)],
    projects: [
      suite('architecture', 20_000),
      suite('unit', 30_000, AGENTS),
      suite('contract', 30_000),
      suite('network', 60_000),
      suite('scenario', 60_000),
      suite('simulation', 120_000),
      suite('property', 60_000),
      suite('browser', 60_000),
      suite('interop', 30_000),
    ],
  },
});
