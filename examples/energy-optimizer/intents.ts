import type { RulePackInput } from '../../agents/runtime/index.js';

/** What operators say to the energy optimiser, and how its advice is told. */
export const rulePack: RulePackInput = {
  intents: [
    {
      name: 'ADVISE_ENERGY',
      method: 'advise_energy',
      effect: 'read',
      verbs: {
        zh: ['节能', '省电', '节电', '省能'],
        en: ['energy advice', 'energy tip', 'energy saving', 'save energy', 'saving energy', 'save power'],
      },
      templates: {
        zh: [
          '[给|给我|请给|查|查看|看看|说说]{zone}[的|来|提|出|做][一个|个|一条|条|一些|些|一点|点|几条](节能|省电|节电)[的](建议|方案|意见|办法|措施)',
          '{zone}[的|要|能|可以|应该|该]怎么(节能|省电|节电|省能)',
          '{zone}[还|能|可以|还能]怎么[才能](节能|省电|节电|省能)[一点|一些|些]',
          '{zone}[能|可以]省多少(电|能)',
          '[来|要|给我][一个|个|一条|条|一些|些](节能|省电|节电)[的](建议|方案)',
        ],
        en: [
          '[give|get|show] [me] [some|an] energy (advice|tip|saving advice|saving tip) (for|of|on|in) {zone}',
          "[give|get|show] [me] {zone} ['s] energy (advice|tip|saving advice)",
          'how (can|could|do|should) (we|i|one) (save energy|save power) (in|at|for) {zone}',
          'how (can|could) {zone} (save energy|save power)',
          '[give|get|show] [me] [some|an] energy (advice|tip|saving advice)',
        ],
      },
      slots: {
        zone: { entity: 'zone', param: 'zone', ask: { zh: '哪个区域？', en: 'Which zone?' } },
      },
      example: { zh: '给三楼A区一个节能建议', en: 'energy advice for zone A on floor 3' },
    },
  ],
  titles: { advise_energy: { zh: '节能建议', en: 'energy advice' } },
  answers: {
    advise_energy: {
      zh:
        '{zone} 设定 {setpoint_c} °C，建议 {advised_setpoint_c} °C（{basis|cooling=正在供冷|heating=正在供热|' +
        'at_limit=已到限值|free_cooling=新风供冷|idle=不供冷不供热|not_holding=达不到设定，先查故障|' +
        'not_enough_known=读数不全}），约省 {saving_pct} %[，本层用电 {power_w} W]。',
      en:
        '{zone}: {setpoint_c} °C, advised {advised_setpoint_c} °C ({basis|at_limit=the limit|' +
        'free_cooling=outdoor air cools|not_holding=not held: a fault?|not_enough_known=unreadable}), ' +
        'saves about {saving_pct} %[; floor {power_w} W].',
    },
  },
};
