import { expect, test } from 'vitest';
import { createVersionUse } from '../../../mcp/index.js';

const DAY = 86_400_000;

test('shares over seven days by version and caller; an old one under one in a hundred may be switched off', () => {
  let now = 0;
  const use = createVersionUse({ now: () => now }, { current: '1.2' });
  for (let n = 0; n < 50; n++) use.count('1.1', 'old_panel');
  for (let n = 0; n < 950; n++) use.count('1.2', 'coordinator');
  expect(use.report()).toMatchObject({
    days: 7,
    shares: [
      { version: '1.2', caller: 'coordinator', messages: 950, share: 0.95 },
      { version: '1.1', caller: 'old_panel', messages: 50, share: 0.05 },
    ],
    maySwitchOff: { '1.1': false },
  });
  now = 6 * DAY;
  for (let n = 0; n < 9_000; n++) use.count('1.2', 'coordinator');
  expect(use.report().maySwitchOff).toEqual({ '1.1': true });
  now = 8 * DAY;
  expect(use.report().shares.map(({ version }) => version)).toEqual(['1.2']);
});

test('made-up callers do not fill the memory', () => {
  const use = createVersionUse({ now: () => 0 }, { current: '1.2' });
  for (let n = 0; n < 5_000; n++) use.count('1.1', `caller${n}`);
  expect(use.report().shares.length).toBeLessThanOrEqual(1_001);
  expect(use.report().shares[0]).toMatchObject({ caller: '*', messages: 4_000 });
});
