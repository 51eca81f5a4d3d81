import type { RulePackInput } from '../runtime/index.js';

const TO_ZH =
  '(切换到|切换为|切换成|切到|切为|切成|设为|设成|设到|设置为|设置成|改为|改成|调到|调成|转到|转为|置为|打到|打成)';
const MODE_ZH = '(运行|停止|停机|run|stop)';

/** How operators ask for RUN and STOP. */
export const setModeIntent: RulePackInput['intents'][number] = {
  name: 'SET_MODE',
  method: 'set_mode',
  effect: 'write',
  verbs: { zh: ['停机', '关停', '停掉'], en: [] },
  templates: {
    zh: [
      `[把|将|让]{device}[的][运行|工作][模式]${TO_ZH}${MODE_ZH}[模式|状态|档]`,
      `(设置|设定|切换|修改|改){device}[的][运行|工作]模式(为|到|成)${MODE_ZH}[模式]`,
      '(停止|停掉|关停|停下){device}[的运行]',
      '[把|将|让]{device}(停止|停止运行|停机|停掉|停下来|停下|关停)[一下]',
      '(启动|开动){device}',
      '[把|将|让]{device}(启动|开动|运行|启动起来|运行起来|投入运行|恢复运行)[一下]',
    ],
    en: [
      '(set|switch|change|put|turn|bring) {device} [over] (to|into|in) (run|stop|running|stopped) [mode|state]',
      '(set|switch|change) [the] [operating] mode (of|on|for) {device} to (run|stop)',
      "(set|switch|change) {device} ['s] [operating] mode to (run|stop)",
      '(stop|halt|shut down) {device}',
      '(start|start up) {device}',
    ],
  },
  slots: {
    device: {
      entity: 'device',
      param: 'device_id',
      served: true,
      ask: { zh: '请指定设备编号？', en: 'Which device?' },
    },
    mode: {
      entity: 'choice',
      param: 'mode',
      ask: { zh: '切换到运行还是停止？', en: 'To RUN or to STOP?' },
      choices: {
        STOP: {
          zh: ['停止', '停机', '停掉', '停下', '停下来', '停止运行', '关停', 'stop'],
          en: ['stop', 'stopped', 'halt', 'shut down'],
        },
        RUN: {
          zh: ['运行', '启动', '开动', '启动起来', '运行起来', '投入运行', '恢复运行', 'run'],
          en: ['run', 'running', 'start', 'start up'],
        },
      },
    },
  },
  example: { zh: '把PLC-007切换到停止模式', en: 'set PLC-007 to stop' },
};
