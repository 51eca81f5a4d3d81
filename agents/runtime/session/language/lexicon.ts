import { PhraseTrie } from './phrase-trie.js';
import { tokenise } from './tokenise.js';

/**
 * Words of grammar in both languages, one class each: what joins, conditions, denies, reports or takes back. Longest
 * match wins, so `plain` words protect characters that mean something else inside them (别 in 特别).
 */
export type MarkerClass = keyof typeof WORDS;

/** A row is Chinese words, then English phrases separated by commas. */
const WORDS = {
  filler: [
    '请 麻烦 劳驾 帮我 帮忙 帮 给我 替我 一下 一下子 下 的 地 得 吧 啊 呀 哦 嗯 呃 哈 啦 呗 嘛 立即 立刻 马上 赶紧 赶快 尽快 现在 快 先 也 还 都 那 ' +
      '这 个 你好 您好 你 您 谢谢 谢了 多谢 辛苦 辛苦了 拜托 可以 能 我想 我要 我想要 我需要 我们需要 想要 咱们 我们 顺便 一声 哥 师傅们 大家 结果 的情况下 ' +
      '收到 好的 好 行 可以的话 方便的话 有空的话 没问题的话 目前 当前 此时 这会儿 急 紧急 务必 一定 直接',
    'please, kindly, if possible, if you can, either, the, a, an, now, right now, immediately, ' +
      'at once, asap, quickly, for me, me, just, also, too, ok, okay, hi, hello, hey, thanks, ' +
      "thank you, thx, so, well, um, uh, 's, of, go ahead, i want to, i want you to, i would " +
      'like to, i would like you to, i need to, i need you to, we need to, want to, need to, let ' +
      "us, let's, you, hermes, again please, guys, mate, my, our, its, quick, urgently, urgent, " +
      'currently, at the moment, result, the result, straight away, right away, do, both, team',
  ],
  polite: [
    '能不能帮我 能不能请你 可不可以帮我 能帮我 可以帮我 能不能麻烦你 能麻烦你 能请你 可以请你',
    'can you, could you, would you, will you, would you mind, could you please, can you please,' +
      ' can u, could u, can we, can i get you to, i would appreciate it if you could',
  ],
  plain: [
    '特别 分别 级别 区别 识别 类别 差别 告别 不过 合并 温和 和平 再见 再三 就绪 就地 成就 规则 原则 若干 时候 不锈钢 不间断 并联 并行 没问题 没事 否则的 ' +
      '不好意思 对不起 未来 未知 还原 一起 了解 完了 不断 从不',
    'android, no problem, sorry to bother you, notes, wrong with, wrong on, wrong in, wrong at',
  ],
  if: [
    '如果 前提是 前提条件是 条件是 要是 若 若是 如 倘若 假如 假若 万一 只要 当 如若 如果说 一旦 只有 只有当 仅当 仅在 看到 发现',
    'if, when, in case, provided, provided that, as long as, once, only if, only when, in the ' +
      'event that, should it be, iff, whenever',
  ],
  so: ['是的话 如果是的话 要是的话 这样的话 如果这样', 'if so, if yes, in that case'],
  unless: ['除非', 'unless, except if, except when'],
  if_end: ['的话 的时候 了的话', ''],
  hence: ['就 那就 则 那么 便 才', ''],
  seq: [
    '然后 接着 随后 之后 再 完了再 最后 然后再 接下来 完事 后再 此后 紧接着 完后',
    'then, and then, after that, afterwards, next, finally, followed by, once done',
  ],
  and: [
    '并 并且 和 与 以及 及 同时 而且 还有 外加 另外 并同时 跟 且 同时也 还要 此外',
    'and, and also, as well as, plus, &, along with',
  ],
  or: ['或 或者 还是 或是', 'or, or else if, nor'],
  else: ['否则 不然 要不然 不然的话 否则的话 反之 要不 其他情况 其余情况', 'otherwise, else, or else'],
  but: ['但 但是 而是 可是 只是 只 只需 只要你 只用 仅 不过要 只需要', 'but, only, rather than that, instead'],
  always: [
    '无论如何 不管怎样 不管怎么样 不论如何 无论结果如何 不管结果如何',
    'always, in any case, either way, regardless, no matter what, anyway',
  ],
  neg: [
    '不 不要 别动 别 勿 请勿 切勿 不用 不必 不需要 无需 无须 不许 不准 不得 禁止 严禁 甭 先不 先别 暂不 暂时不 暂时别 暂缓 不能 不可以 不可 不应 不应该 ' +
      '不该 没 没有 从没 从未 未 未曾 别再 不想 不打算 停止 避免 免得 以免 防止 取消 撤销 不再 拒绝 千万别 千万不要 不要再 用不着 犯不着 没必要 不是要 别去 ' +
      '不让 不允许 不会 不了 不敢 休 缓 不急着 省得 并非 不是 叫停 中止 打消 推迟 延后 先不要 也别 也不要',
    'not, never, no, no need, without, avoid, stop, refrain, refrain from, cancel, abort, do ' +
      'not, must not, should not, may not, need not, hold off, hold off on, prevent, rather than,' +
      ' instead of, anything but, nothing, neither, none, nobody, forbid, forbidden, prohibited, ' +
      'skip, no longer, unnecessary, not necessary, postpone, wait with, lest, belay, no one, ' +
      'keep from, against, nope, leave, unwilling, refuse',
  ],
  past: [
    '已 已经 刚刚 刚才已经 曾 曾经 过 过了 完 完了 早就 早已 了 昨晚刚 之前已经 刚 刚把 前面已经 上次把 被',
    'already, has been, have been, was, were, had, did, had been, have just, has just, has, ' +
      'have already, just now i, we have, i have, got, yesterday, earlier, has already, have, ' +
      'last night',
  ],
  hypothetical: [
    '会怎样 会怎么样 会怎么着 会如何 会发生什么 会不会 会有什么 有什么影响 有啥影响 什么影响 什么后果 有什么后果 影响大吗 影响多大 后果 会影响 会导致 会出现 假设 ' +
      '设想 假想 理论上 会咋样 怎么办 有什么风险 什么风险 风险 会停产 会出什么 的影响 会是 的话会 好处 可能会 要多久 需要多久 多久 多长时间 安全吗 要多长时间',
    'what if, what would, what will, what happens, what could, what might, would it, would ' +
      'that, will it, could it, might, suppose, supposing, hypothetically, imagine, assuming, ' +
      'consequences, impact, what about if, is it safe, how long, effect, risk, risky, the risk, ' +
      'what does, would we, affect, theoretically, in theory',
  ],
  question: [
    '吗 么 没有吗 了没 没呢 过没 过没有 了没有 谁 什么时候 何时 为什么 为啥 为何 怎么 如何 怎样 怎么样 咋 几次 多少次 哪些 哪个 哪台 是否 有没有 是不是 ' +
      '要不要 该不该 应不应该 需不需要 什么 啥 几点 可不可以 能不能够 能不能 能否 可否 可以吗 行吗 行不行 可以不 多少 对吗 用不用 是谁 能否够 呢',
    'who, when was, when were, when did, when is, when will, why, how, how many, how often, ' +
      'did, was, were, has, have, had, is, are, does, should, shall, may, must we, do we, do i, ' +
      'what, which, where, ever, whether, is it ok, is it possible, can it, could we, was it, ' +
      'may i, can i, am i, history, count, log, record, records, times',
  ],
  nothing: [
    '什么都不做 什么也不做 什么都不用做 什么都别做 啥也别做 啥都不做 不做任何操作 不用管 不处理 不用处理 不做处理 就算了 忽略',
    'do nothing, leave it alone, leave it, nothing, do not do anything, no action',
  ],
  cancel: [
    '算了 算了吧 还是算了 作废 当我没说 当我没讲 没事了 不用了 不需要了 不必了 先不了 取消 取消吧 取消上面的 收回 撤销 忽略上面 忽略 打住 别弄了 别搞了 别了 停 ' +
      '等等 等一下 慢着 先等等 且慢 还是不了 还是别了 不要了 免了 当我没发 我改主意了',
    'never mind, nevermind, nvm, scratch that, scrap that, forget it, forget that, forget ' +
      'about it, cancel, cancel that, cancel it, ignore that, ignore it, disregard, disregard ' +
      'that, belay that, on second thought, on second thoughts, wait, hold on, stop, abort, ' +
      'strike that, changed my mind, i changed my mind, do not bother, actually no, actually do ' +
      'not, leave it, no do not, please do not',
  ],
  correct: [
    '不对 哦不 噢不 错了 说错了 我说错了 打错了 写错了 搞错了 弄错了 我是说 我的意思是 应该是 更正 更正一下 更正为 纠正 口误 改成是 等等不对 呃不对 啊不对 哦不对 ' +
      '不不 不不不 不好意思是 啊不 呸 不是不是 而是',
    'no wait, wait no, sorry, i mean, i meant, make that, make it, correction, my mistake, ' +
      'oops, no sorry, sorry i meant, sorry i mean, i misspoke, wrong, typo, no make that, or ' +
      'rather, no i mean, no i meant, actually no make that, wait i mean, should be, wait sorry, ' +
      'whoops',
  ],
  device_ref: [
    '它 它们 其 该设备 此设备 这设备 那设备 这台 那台 该台 这个设备 那个设备 这台设备 那台设备 这台机器 那台机器 这个plc 那个plc 该plc 这台plc ' +
      '那台plc 两台 两个 两台都 这两台 它俩 刚才那台 刚才那个 刚才的设备 刚才那台设备 刚才那个设备 刚才那台plc 上一台 上次那台 上一个设备 前面那台 同一台 这俩 ' +
      '那俩 这些设备 那些设备 刚刚那台 刚才查的那台 刚才说的那台',
    'it, them, both, that device, this device, the device, those devices, these devices, that ' +
      'plc, this plc, the plc, that one, this one, the same one, the same device, the same plc, ' +
      'that machine, this machine, the machine, both of them, the former, the previous one, the ' +
      'last one, the one just now, the controller, that controller, the unit',
  ],
  zone_ref: [
    '该区 该区域 这个区 那个区 这个区域 那个区域 此区域 刚才那个区 刚才那个区域',
    'that zone, this zone, the same zone, those zones, these zones',
  ],
  person_ref: ['他 她 他们 她们 同一个人 刚才那个人', 'him, her, them, the same person, that person'],
  repeat: [
    '再查一遍 再查一次 再看一遍 再看一次 再看看 再查 再查查 再查一下 再看一下 刷新 刷新一下 重查 重新查 重新查一下 重新查询 再来一次 再来一遍 再来一下 再刷一下 ' +
      '再刷新 重复一遍 重复一次 再做一遍 再做一次 再读一次 再读一遍 再确认一次 再确认一下 重新读 再执行一次 再执行一遍 再跑一次 再跑一遍 再试一次',
    'again, once more, one more time, refresh, repeat, repeat that, check again, do it again, ' +
      'same again, run it again, look again, try again, do that again, recheck, re-check, check ' +
      'once more, query again',
  ],
  undo: [
    '撤回 撤回上一步 撤销上一步 回退 返回上一步 上一步 后退 退回 退回上一步 返回 回到上一步',
    'undo, go back, back, undo that, step back, previous step, undo the last step',
  ],
  reason: [
    '因为 由于 原因是 因 毕竟 鉴于 理由是',
    'because, since, due to, as it, owing to, cause, on account of, so that, reason',
  ],
  time: [
    '昨天 明天 后天 前天 上周 下周 上个月 本周 今晚 昨晚 明早 每天 每周 每月 每隔 每小时 凌晨 下午 上午 晚上 早上 中午 点钟 以后 之前 稍后 待会 待会儿 等会 ' +
      '等会儿 一会儿 过会儿 定时 到时候 周一 周二 周三 周四 周五 周六 周日 下班 上班 开班 交班 停产后 半小时 分钟后 小时后 以前 前 等到 直到 提前 周末 春节 节后',
    'tomorrow, yesterday, tonight, last week, next week, every day, daily, weekly, hourly, ' +
      'every, morning, evening, afternoon, later, in an hour, monday, tuesday, wednesday, ' +
      'thursday, friday, saturday, sunday, before, after, until, till, while, during, soon, ' +
      "schedule, scheduled, noon, midnight, o'clock, pm, am, at night, weekend, hours, shift, " +
      'eventually, someday',
  ],
  quantifier: [
    '所有 全部 全体 整个 每台 每个 任何 任意 其余 其他 其它',
    'all, every, each, any, everything, everyone, some, several, rest, others, other',
  ],
  except: ['除了 以外 之外 除 外', 'except, except for, excluding, besides, apart from, other than, but not'],
  say: [
    '说 说过 说道 讲 写道 写着 写了 提到 问 问我 问起 建议 要求 让我 叫我 认为 觉得 听说 据说 喊 回复',
    'said, says, say, wrote, asked, asks, suggested, suggests, mentioned, reads, told me, ' +
      'thinks, think, claims, according to, recommends, recommended, heard, shouted',
  ],
  attend: [
    '处理 处理一下 处理下 解决 解决一下 修 修一下 修下 修理 维修 来修 来修一下 派人 派人来 派人来修 派人修 派人去修 派人处理 派人看看 派人来看看 来人 安排人 安排处理 ' +
      '安排维修 跟进 跟进一下 抓紧处理',
    'fix it, get it fixed, take care of it, deal with it, handle it, sort it out, see to it, send someone, send somebody, help',
  ],
  still: ['仍 仍然 依然 依旧', 'still, remains'],
} as const satisfies Readonly<Record<string, readonly [string, string]>>;

/** Words that only connect inside a condition: 状态是离线, "has gone offline". */
const COPULAS =
  '是 为 处于 已经 已 了 状态 显示 变成 变为 出现 有 发生 它 设备 确实 真 真的 现在 目前 仍 仍然 依然 还 依旧 查到 看到 发现 结果 那边 确认 机器 是否';
const COPULAS_EN =
  'is, are, be, was, were, has, have, been, being, gone, goes, go, becomes, become, turned, ' +
  "turns, out, to, it, they, status, state, the, device, that, still, indeed, in, 's, found, " +
  'shows, reports, reported, as, there, already, really, actually';

export type Lexicon = PhraseTrie<MarkerClass>;

const phrases = ([zh, en]: readonly [string, string]): string[] => [
  ...zh.split(' ').filter((word) => word !== ''),
  ...en
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== ''),
];

/** Classes of a word that stands in several rows: the earlier of this list wins. */
const PRECEDENCE: readonly MarkerClass[] = [
  'repeat',
  'nothing',
  'undo',
  'polite',
  'hypothetical',
  'so',
  'else',
  'cancel',
  'correct',
  'if',
  'unless',
  'if_end',
  'always',
  'hence',
  'seq',
  'and',
  'or',
  'but',
  'person_ref',
  'device_ref',
  'zone_ref',
  'past',
  'neg',
  'question',
  'reason',
  'time',
  'except',
  'quantifier',
  'say',
  'attend',
  'still',
  'plain',
  'filler',
];

export function createLexicon(): Lexicon {
  const trie: Lexicon = new PhraseTrie();
  for (const kind of PRECEDENCE) {
    for (const phrase of phrases(WORDS[kind])) {
      trie.add(
        tokenise(phrase).map((token) => token.text),
        kind,
      );
    }
  }
  return trie;
}

export function createCopulas(): PhraseTrie<true> {
  const trie = new PhraseTrie<true>();
  for (const phrase of phrases([COPULAS, COPULAS_EN]))
    trie.add(
      tokenise(phrase).map((token) => token.text),
      true,
    );
  return trie;
}
