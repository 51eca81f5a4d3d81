import { expect, test } from 'vitest';
import { conversation } from '../../support/session-fixture.js';

/** A numeral that the template itself says is no quantity that nobody explains. */
test.each([
  ['进行一次PLC-003的重启', 'restart_device'],
  ['把PLC-003重启一次', 'restart_device'],
])('%s is placed: the numeral is a word of the template', (text, method) => {
  expect(conversation()(text)).toMatchObject({
    outcome: 'plan',
    actions: [{ method, params: { device_id: 'PLC-003' } }],
  });
});

test('a numeral that no template says still stops a write', () => {
  expect(conversation()('重启PLC-003 5').outcome).not.toBe('plan');
});
