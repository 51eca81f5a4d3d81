import type { Language } from '../../../shared/site.js';

/** The few questions that the engine itself asks; a pack's `ask` goes first. */
export const PHRASES = {
  device: { zh: '请指定设备编号？', en: 'Which device?' },
  person: { zh: '请指定人员？', en: 'Which person?' },
  zone: { zh: '请指定区域？', en: 'Which zone?' },
  floor: { zh: '请指定楼层？', en: 'Which floor?' },
  number: { zh: '请指定数值？', en: 'Which value?' },
  point: { zh: '请指定点位？', en: 'Which point?' },
  text: { zh: '请说明内容？', en: 'Which text?' },
  choice: { zh: '请选择？', en: 'Which one?' },
  code: { zh: '请指定编号？', en: 'Which number?' },
} as const satisfies Record<string, { zh: string; en: string }>;

export function askFor(kind: string, language: Language): string {
  return (PHRASES as Record<string, { zh: string; en: string }>)[kind]?.[language] ?? PHRASES.text[language];
}

export function askUnknown(text: string, candidates: readonly string[], language: Language): string {
  const list = candidates.join(language === 'zh' ? '、' : ', ');
  if (language === 'zh')
    return candidates.length > 0 ? `没有“${text}”。是指 ${list} 吗？` : `没有“${text}”，请重新指定。`;
  return candidates.length > 0 ? `There is no "${text}". Did you mean ${list}?` : `There is no "${text}". Which one?`;
}

export function askWhich(text: string, candidates: readonly string[], language: Language): string {
  const list = candidates.join(language === 'zh' ? '、' : ', ');
  return language === 'zh' ? `“${text}”指哪一个：${list}？` : `Which one is "${text}": ${list}?`;
}

/** "24%" is no temperature. */
export function askUnit(text: string, unit: string, language: Language): string {
  return language === 'zh'
    ? `“${text}”的单位不是 ${unit}。要设为多少 ${unit}？`
    : `"${text}" is not in ${unit}. To how many ${unit}?`;
}

/** Asks whether a change is ordered now; names what was not read. */
export function askOrder(calls: readonly string[], unread: string, language: Language): string {
  const list = calls.join(language === 'zh' ? '；' : '; ');
  const words = unread === '?' ? '' : unread;
  if (language === 'zh') return `现在就执行吗：${list}？${words ? `（没读懂“${words}”）` : ''}回答“是”或“否”。`;
  return `Do you want this done now: ${list}?${words ? ` ("${words}" was not understood.)` : ''} Answer yes or no.`;
}

/** "重启" is not for AHU-3; says whose it is. */
export function notServed(title: string, thing: string, servers: readonly string[], language: Language): string {
  const names = servers.join(language === 'zh' ? '、' : ', ');
  if (language === 'zh') {
    return `“${title}”不适用于 ${thing}，${names ? `它由 ${names} 负责` : '没有智能体负责它'}`;
  }
  return `${title} is not possible for ${thing}: ${names ? `it is served by ${names}` : 'no agent serves it'}`;
}

export type Unsupported = 'relative' | 'switching';

const UNSUPPORTED = {
  relative: {
    zh: '还不支持按多少度、多少量相对调整，请直接说要设为的值',
    en: 'a change by an amount is not supported yet, say the value itself',
  },
  switching: { zh: '还不支持开机和关机', en: 'switching on or off is not supported yet' },
} as const satisfies Record<Unsupported, { zh: string; en: string }>;

export const notSupported = (what: Unsupported, example: string, language: Language): string =>
  UNSUPPORTED[what][language] + (language === 'zh' ? `；可以说：${example}` : `; for example: ${example}`);

export const NOTHING = {
  repeat: { zh: '没有可以重复的查询', en: 'there is nothing to repeat' },
  undo: { zh: '没有可以撤回的步骤', en: 'there is nothing to take back' },
  undone: {
    zh: '已退回上一步对话；设备上做过的没有撤销',
    en: 'Went back one step in the dialogue; what was done at devices stays done',
  },
  cancelled: { zh: '已取消，什么都没做', en: 'cancelled, nothing is done' },
  long: { zh: '句子太长', en: 'the sentence is too long' },
  empty: { zh: '没有内容', en: 'the sentence says nothing' },
  many: { zh: '步骤太多', en: 'too many steps' },
} as const;
