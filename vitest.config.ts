import { defineConfig } from 'vitest/config';

const suite = (name: string, testTimeout = 10_000) => ({
  test: { name, include: [`tests/${name}/**/*.test.ts`], testTimeout, hookTimeout: 30_000 },
});

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      suite('architecture', 20_000),
      suite('unit'),
      suite('contract'),
      suite('property', 60_000),
      suite('simulation', 120_000),
      suite('scenario', 60_000),
      suite('browser', 60_000),
    ],
  },
});
