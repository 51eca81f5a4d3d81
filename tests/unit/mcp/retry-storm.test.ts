import { expect, test } from 'vitest';
import { replyStorm } from '../../support/reply-storm.js';

const STORM = { callers: 20, stormMs: 10_000, dropped: 0.3 } as const;

test('30 % of replies lost: 99.9 % of the calls succeed, with at most 1.2 times the requests it takes', async () => {
  const { calls, succeeded, requests, needed } = await replyStorm(STORM);
  expect(calls).toBeGreaterThan(150);
  expect(succeeded / calls).toBeGreaterThanOrEqual(0.999);
  expect(requests / needed).toBeLessThanOrEqual(1.2);
});

test('R1: one layer executes each call once; layers that retry by themselves do things again (canary)', async () => {
  const one = await replyStorm(STORM);
  expect(one.executions).toBe(one.calls);
  const layered = await replyStorm({ ...STORM, naive: true });
  expect(layered.executions / layered.calls).toBeGreaterThan(1.3);
});
