import { expect, test } from 'vitest';
import { compilePattern, isSubject } from '../../../../mcp/transport/index.js';

test.each([
  ['a.b', 'a.b', true],
  ['a.b', 'a.c', false],
  ['a.*', 'a.b', true],
  ['a.*', 'a', false],
  ['a.*', 'a.b.c', false],
  ['*', 'a', true],
  ['*.b', 'a.b', true],
  ['a.>', 'a', false],
  ['a.>', 'a.b', true],
  ['a.>', 'a.b.c.d', true],
  ['a.>', 'ab.c', false],
  ['>', 'a', true],
  ['*.b.>', 'a.b.c', true],
  ['*.b.>', 'a.b', false],
  ['hermes.*.log.plc_controller.>', 'hermes.default.log.plc_controller.device_PLC-007', true],
  ['hermes.*.log.plc_controller.>', 'hermes.default.log.plc_controller2.device_PLC-007', false],
])('pattern %s and subject %s: %s', (pattern, subject, matches) => {
  expect(compilePattern(pattern).matches(subject)).toBe(matches);
});

test.each(['$SRV.PING', '_INBOX.x', 'hermes.t.log.a.device_PLC-007', '中文.主题'])('%s is a subject', (subject) => {
  expect(isSubject(subject)).toBe(true);
});
