import { expect, test } from 'vitest';
import { torture } from '../torture/torture.js';

/** The long form: npm run torture -- --rounds 50. */
test('two rounds of random kills and stops: every goal ends, nothing is done twice', {
  timeout: 400_000,
}, async () => {
  const lines: string[] = [];
  const { goals, violations } = await torture({ rounds: 2, seed: 2, say: (line) => lines.push(line) });
  expect(violations, lines.join('\n')).toEqual([]);
  expect(goals).toBe(14);
});
