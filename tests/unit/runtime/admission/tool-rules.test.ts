import { describe, expect, test } from 'vitest';
import { auditGrants, ruleProblems } from '../../../../agents/runtime/index.js';
import { toyTool } from '../../../support/cell-bench.js';

const ROLLBACK = { name: 'undo', description: 'undoes', max_ms: 100, run: async () => undefined };

describe('what a manifest has to say', () => {
  test.each([
    ['a read that declares a write', toyTool('read'), 'effect_class read'],
    ['an effect that no context has', toyTool('idempotent_write', { side_effects: ['valve.open:V-1'] }), 'valve.open'],
    ['medium risk without alternatives', toyTool('idempotent_write', { risk: 'medium' }), 'alternatives'],
    ['irreversible with a lower risk and no reason', toyTool('irreversible'), 'risk_reason'],
    [
      'several kinds of write effect without a rollback',
      toyTool('non_idempotent', { side_effects: ['modbus.write', 'smtp.send'], rollback: { none: 'x' } }),
      'a rollback for each',
    ],
    [
      'several kinds of write effect and a rollback of one',
      toyTool('non_idempotent', {
        side_effects: ['modbus.write', 'smtp.send'],
        rollback: { ...ROLLBACK, undoes: ['modbus.write'] },
      }),
      'lacks smtp.send',
    ],
  ])('%s is refused', (_what, tool, problem) => {
    expect(ruleProblems(tool)).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    ['one kind of write effect with a rollback', toyTool('idempotent_write')],
    ['one kind that says why there is none', toyTool('idempotent_write', { rollback: { none: 'x' } })],
    [
      'high risk that says there is no sibling',
      toyTool('idempotent_write', { risk: 'high', alternatives: { none: 'x' } }),
    ],
    ['irreversible with a reason', toyTool('irreversible', { risk_reason: 'x' })],
    [
      'several kinds, each taken back',
      toyTool('non_idempotent', {
        side_effects: ['modbus.write', 'smtp.send'],
        rollback: { ...ROLLBACK, undoes: ['modbus.write', 'smtp.send'] },
      }),
    ],
  ])('%s is not', (_what, tool) => {
    expect(ruleProblems(tool)).toEqual([]);
  });
});

describe('what is declared and what is granted', () => {
  const audit = (declared: string[], granted: string[]) =>
    auditGrants(toyTool('idempotent_write', { side_effects: declared }), granted);

  test.each([
    [['modbus.write:PLC-*'], ['modbus.write:PLC-*'], [], []],
    [['modbus.write:PLC-*'], ['modbus.write'], [], []],
    [['modbus.write:PLC-*'], ['*'], [], []],
    [['modbus.write:PLC-*'], ['modbus.write:PLC-007'], [], ['modbus.write:PLC-*']],
    [['modbus.read:AHU-*', 'modbus.read:AC-*'], ['modbus.read:AHU-3'], [], ['modbus.read:AHU-*', 'modbus.read:AC-*']],
    [['modbus.write:PLC-007'], ['modbus.write:PLC-*'], [], []],
    [['modbus.write:PLC-*'], ['modbus.read:PLC-*'], ['modbus.write'], ['modbus.write:PLC-*']],
    [['modbus.write:PLC-*'], ['modbus.write:AHU-*'], ['modbus.write'], ['modbus.write:PLC-*']],
    [['modbus.write:PLC-007'], ['modbus.write:PLC-00'], ['modbus.write'], ['modbus.write:PLC-007']],
    [['smtp.send'], ['smtp.send:*@site.example'], [], ['smtp.send']],
    [['smtp.send'], [], ['smtp.send'], ['smtp.send']],
  ])('%j under %j', (declared, granted, missing, narrowed) => {
    expect(audit(declared, granted)).toEqual({ missing, narrowed });
  });
});
