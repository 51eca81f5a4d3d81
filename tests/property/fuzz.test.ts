import { expect, test } from 'vitest';
import { fuzz } from '../fuzz/fuzz.js';

test('3 000 mutated frames: each is answered, refused or taken; honest calls go through; nothing escapes', async () => {
  const cpu = (): number => process.cpuUsage().user / 1_000;
  const { verdicts, violations, honestCalls } = await fuzz({ seed: 7, frames: 3_000, cpu });
  expect(violations).toEqual([]);
  expect(honestCalls).toBe(120);
  const counts = [...verdicts.values()].reduce((sum, count) => sum + count, 0);
  expect(counts).toBe(3_000);
  for (const verdict of ['request: answered, served', 'request: answered 400 invalid_params', 'reply: call answered']) {
    expect(verdicts.get(verdict), verdict).toBeGreaterThan(50);
  }
});
