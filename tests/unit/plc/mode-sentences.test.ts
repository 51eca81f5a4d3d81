import { describe, expect, it } from 'vitest';
import { planned, siteEngine, talkWith } from '../../support/site-engine.js';

const engine = await siteEngine();
const plan = (text: string): string[] => planned(talkWith(engine)(text));
const to = (mode: string, device = 'PLC-007'): string[] => [`set_mode ${JSON.stringify({ device_id: device, mode })}`];

describe('a sentence that asks for RUN or STOP plans that mode, and nothing else', () => {
  it.each([
    ['把PLC-007切换到停止模式', 'STOP'],
    ['把PLC-007切到运行模式', 'RUN'],
    ['将PLC-007设为停机状态', 'STOP'],
    ['停止PLC-007', 'STOP'],
    ['把PLC-007停机', 'STOP'],
    ['启动PLC-007', 'RUN'],
    ['PLC-007切换为RUN', 'RUN'],
    ['把PLC007的工作模式改为停止', 'STOP'],
    ['set PLC-007 to stop', 'STOP'],
    ['switch PLC-007 to run mode', 'RUN'],
    ['stop PLC-007', 'STOP'],
    ['change the mode of PLC-007 to run', 'RUN'],
    ['please put PLC-007 into stop mode', 'STOP'],
  ])('%s', (text, mode) => expect(plan(text)).toEqual(to(mode)));
});

describe('a sentence that does not ask for it sets no mode', () => {
  it.each([
    '不要停止PLC-007',
    'PLC-007停止了吗',
    'PLC-007为什么停机了',
    '查PLC-007运行状态',
    'PLC-007的模式是什么',
    'do not stop PLC-007',
    'is PLC-007 running',
    'why did PLC-007 stop',
    '昨天把PLC-007停机了',
    '如果停止PLC-007会怎样',
  ])('%s', (text) => expect(plan(text).filter((line) => line.startsWith('set_mode'))).toEqual([]));
});

it.each(['把PLC-007的运行模式改为停止', '停止PLC-007的运行', 'stop running PLC-007'])(
  'a sentence that says both is asked, or means nothing: %s',
  (text) => {
    for (const line of plan(text).filter((one) => one.startsWith('set_mode'))) expect(line).toContain('STOP');
  },
);
