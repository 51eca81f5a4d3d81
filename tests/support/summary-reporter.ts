import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';

/** What one run of Vitest came to; `tests/run-all.ts` adds these up. */
export interface RunSummary {
  readonly passed: number;
  /** Failed tests, and errors outside of tests: a file that does not load, a hook that throws, a stray rejection. */
  readonly failed: number;
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/** Writes the summary to `file` when the run ends. The JSON reporter of Vitest leaves out why a test was skipped. */
export function summaryReporter(file: string): Reporter {
  return {
    onTestRunEnd(modules, unhandled) {
      const tests = modules.flatMap((module) => [...module.children.allTests()]);
      const inState = (state: string) => tests.filter((test) => test.result().state === state);
      const skipped = inState('skipped').map((test) => {
        const result = test.result();
        const reason =
          result.state === 'skipped' && result.note ? result.note : `no reason given (${test.options.mode})`;
        return { name: `${test.module.relativeModuleId} > ${test.fullName}`, reason };
      });
      const summary: RunSummary = {
        passed: inState('passed').length,
        failed: inState('failed').length + modules.flatMap(errorsOutside).length + unhandled.length,
        skipped: [...skipped, ...inState('pending').map((test) => ({ name: test.fullName, reason: 'never ran' }))],
      };
      writeFileSync(file, JSON.stringify(summary));
    },
  };
}

const errorsOutside = (module: TestModule): readonly unknown[] => [
  ...module.errors(),
  ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
];
