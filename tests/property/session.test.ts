import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newDialogue } from '../../agents/runtime/session/index.js';
import { floorsEngine } from '../support/floors-fixture.js';
import { engineFixture } from '../support/session-fixture.js';

const engine = engineFixture();
const context = newDialogue();
const say = (text: string) => engine.understand(text, { context }).understanding;

const device = fc.constantFrom('PLC-007', 'plc3', '七号PLC', 'PLC 4', '灌装机', 'PLC-099');
const zhVerb = fc.constantFrom('重启', '重新启动', '复位', '断电重启');
const enVerb = fc.constantFrom('restart', 'reboot', 'power cycle', 'reset');
const zhNot = fc.constantFrom(
  '不要',
  '别',
  '请勿',
  '千万别',
  '不用',
  '不必',
  '先别',
  '无需',
  '禁止',
  '不许',
  '没必要',
  '切勿',
  '暂时不要',
  '取消',
);
const enNot = fc.constantFrom(
  "don't",
  'do not',
  'never',
  'no need to',
  'please do not',
  'you must not',
  "we shouldn't",
  'cancel the',
  'avoid a',
);
const zhLead = fc.constantFrom(
  '',
  '请',
  '麻烦',
  '查一下PLC-001的状态，',
  '如果PLC-001离线，',
  '通知张工“好”，',
  '现在',
);
const enLead = fc.constantFrom(
  '',
  'please ',
  'check PLC-001, ',
  'if PLC-001 is offline ',
  'hey, ',
  'read PLC-002 and ',
);
const tail = fc.constantFrom('', '。', '！', '，谢谢', ' please', '!', '吧', '了', '，通知张工');

const restarts = (text: string): number => {
  const said = say(text);
  return said.outcome === 'plan' ? said.actions.filter((action) => action.method === 'restart_device').length : 0;
};

const pieces = fc.constantFrom(
  '查',
  '重启',
  'PLC-007',
  '如果',
  '离线',
  '，',
  '。',
  '否则',
  '它',
  '和',
  '通知',
  '张工',
  '“',
  '”',
  '不要',
  '算了',
  '不对',
  '把',
  '温度',
  '设为',
  '45',
  '度',
  '一',
  '号',
  'PLC',
  ' ',
  'check ',
  'restart ',
  'if ',
  'offline ',
  'else ',
  'it ',
  'and ',
  'not ',
  'set ',
  'to ',
  '"',
  "'",
  '-',
  '#',
  '再查一遍',
  'undo',
  '的话',
  '就',
  '吗',
  '?',
  '\n',
  '的',
  'the ',
  '\u{1F600}',
  '\u0000',
  'ﬀ',
  '零',
  '百分之',
);

describe('any sentence', () => {
  it('with a denied write plans no such write', () => {
    const zh = fc.tuple(zhLead, zhNot, zhVerb, device, tail).map(([a, b, c, d, e]) => `${a}${b}${c}${d}${e}`);
    const behind = fc.tuple(device, zhNot, zhVerb, tail).map(([a, b, c, d]) => `${a}${b}${c}${d}`);
    const en = fc.tuple(enLead, enNot, enVerb, device, tail).map(([a, b, c, d, e]) => `${a}${b} ${c} ${d}${e}`);
    fc.assert(
      fc.property(fc.oneof(zh, behind, en), (text) => restarts(text) === 0),
      { numRuns: 1500 },
    );
  });

  it('about a trouble that is not there, or not now, calls for nothing', () => {
    const floors = floorsEngine();
    const zone = fc.constantFrom('三楼A区', 'F2-B', '一楼C区', '三楼A区和B区');
    const trouble = fc.constantFrom('空调坏了', '空调故障', '的空调不制冷', '空调没反应');
    const before = fc.constantFrom('如果', '要是', '万一', '不是', '听说', '他说', '是不是', '假设', '别管', '曾经');
    const behind = fc.constantFrom('吗', '怎么办', '？', '过', '么', '没有吗', '，算了', '的话通知张工', '就通知张工');
    const zh = fc.oneof(
      fc.tuple(before, zone, trouble, tail).map((parts) => parts.join('')),
      fc.tuple(zone, trouble, behind).map((parts) => parts.join('')),
    );
    const lead = fc.constantFrom('if ', 'what if ', 'suppose ', 'he said ', 'yesterday ', 'whether ', 'was it that ');
    const place = fc.constantFrom('zone A on floor 3', 'F2-B', 'floor 1 zone C');
    const en = fc.tuple(lead, place, tail).map(([a, b, c]) => `${a}AC in ${b} is broken${c}`);
    fc.assert(
      fc.property(fc.oneof(zh, en), (text) => {
        const { outcome, actions } = floors.understand(text, { context }).understanding;
        return outcome !== 'plan' || actions.every((action) => action.method !== 'floor_ac_fault');
      }),
      { numRuns: 1000 },
    );
  });

  it('that is taken back plans no write', () => {
    const back = fc.constantFrom(
      '，算了',
      '…算了吧',
      '。取消',
      ', never mind',
      '. scratch that',
      '，还是算了',
      ', forget it',
      '，不用了',
      '，别了',
    );
    const order = fc.oneof(
      fc.tuple(zhVerb, device).map(([a, b]) => `${a}${b}`),
      fc.tuple(enVerb, device).map(([a, b]) => `${a} ${b}`),
    );
    fc.assert(
      fc.property(order, back, (text, end) => restarts(text + end) === 0),
      { numRuns: 500 },
    );
  });

  it('under a condition plans no unconditional write', () => {
    const when = fc.constantFrom(
      '离线',
      '在线',
      '温度过高',
      '需要',
      '不在线',
      '张工同意',
      'PLC-001故障',
      '有必要',
      '昨天离线',
      '',
    );
    const link = fc.constantFrom('如果', '要是', '若', '除非', '万一', '一旦', 'if ', 'unless ', '只有');
    const comma = fc.constantFrom('，', '', '，就', '的话，');
    fc.assert(
      fc.property(link, when, comma, zhVerb, device, (a, b, c, d, e) => {
        const said = say(`${a}${b}${c}${d}${e}`);
        return said.outcome !== 'plan' || said.actions.every((one) => one.effect === 'read' || one.when !== undefined);
      }),
      { numRuns: 1500 },
    );
  });

  it('never throws, and ends in 50 ms up to 10 kB', () => {
    for (let warm = 0; warm < 3; warm += 1) say('查PLC-007状态，如果离线，重启它并通知张工。'.repeat(300));
    const soup = fc.array(pieces, { maxLength: 4_000 }).map((parts) => parts.join('').slice(0, 10_000));
    const drum = fc.tuple(fc.array(pieces, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 5_000 }));
    const repeated = drum.map(([parts, times]) => parts.join('').repeat(times).slice(0, 10_000));
    const any = fc.oneof(
      soup,
      repeated,
      fc.string({ unit: 'binary', maxLength: 10_000 }),
      fc.string({ maxLength: 500 }),
    );
    const slow: string[] = [];
    fc.assert(
      fc.property(any, (text) => {
        let best = Number.POSITIVE_INFINITY;
        for (let round = 0; round < 40 && best >= 50; round += 1) {
          const start = performance.now();
          expect(say(text)).toBeDefined();
          best = Math.min(best, performance.now() - start);
        }
        if (best >= 50) slow.push(`${best.toFixed(0)} ms: ${text.slice(0, 60)}`);
      }),
      { numRuns: 400 },
    );
    expect(slow).toEqual([]);
  });

  it('gives the same answer twice, and a context that survives JSON', () => {
    const soup = fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(soup, soup, (first, second) => {
        const one = engine.understand(first, { context });
        const wired = JSON.parse(JSON.stringify(one.context)) as typeof one.context;
        expect(wired).toEqual(one.context);
        expect(engine.understand(second, { context: wired })).toEqual(
          engine.understand(second, { context: one.context }),
        );
      }),
      { numRuns: 500 },
    );
  });
});
