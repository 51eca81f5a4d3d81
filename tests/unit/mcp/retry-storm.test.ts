import { expect, test } from 'vitest';
import { replyStorm } from '../../support/reply-storm.js';

const STORM = { callers: 20, stormMs: 10_000, dropped: 0.3 } as const;

test('30 % of replies lost: 99.9 % of the calls succeed, with at most 1.2 times the requests that it takes', async () => {
  const { calls, succeeded, requests, needed } = await replyStorm(STORM);
  expect(calls).toBeGreaterThan(150);
  expect(succeeded / calls).toBeGreaterThanOrEqual(0.999);
  expect(requests / needed).toBeLessThanOrEqual(1.2);
});

test('R1: layers that each retry by themselves cost more requests for the same loss (canary of the measure)', async () => {
  const one = await replyStorm({ ...STORM, dropped: 0.9 });
  const layered = await replyStorm({ ...STORM, dropped: 0.9, naive: true });
  expect(layered.requests / layered.calls).toBeGreaterThan((one.requests / one.calls) * 1.3);
});
