import type { RulePackInput } from '../runtime/index.js';

const zone = {
  entity: 'zone',
  param: 'zone',
  served: true,
  ask: { zh: '哪个区域？例如三楼A区', en: 'Which zone, for example zone A on floor 3?' },
} as const;
const device = {
  entity: 'device',
  param: 'device_id',
  served: true,
  ask: { zh: '哪台空调设备？例如 AHU-3', en: 'Which unit, for example AHU-3?' },
} as const;
const floor = {
  entity: 'floor',
  param: 'floor',
  served: true,
  ask: { zh: '哪一层？', en: 'Which floor?' },
} as const;
const value = {
  entity: 'number',
  param: 'temperature_c',
  unit: '°C',
  ask: { zh: '要设为多少度？（16–30，步长 0.5）', en: 'To how many degrees? (16 to 30, in steps of 0.5)' },
} as const;

/** Phrases that several templates share. */
const TO_ZH =
  '(设定为|设置为|设定到|设置到|设定成|设置成|设定在|设为|设到|设成|设在|改为|改成|改到|调到|调为|调成|调至|调在|调整到|调整为|调整成|升到|升高到|降到|' +
  '降低到|提高到|提到|调高到|调低到|控制在|保持在|维持在|定为|定在|定到|开到|设定|设置|设|调)';
const AIR_ZH = '空调|空调系统|暖通|暖通系统|中央空调|冷气|风系统|空调设备';
const TEMPERATURE_ZH =
  '温度|室温|室内温度|房间温度|设定温度|温度设定|温度设定值|目标温度|空调温度|温度目标|空调的温度|空调设定温度';
const LOOK_ZH = '(查|看|查询|查看|检查|查查|看看|查下|看下|确认|告诉我|报|读|读取|显示|了解|获取)';
const DIAGNOSE_ZH = '(诊断|诊断诊断|排查|检测|分析|检查|查|查查|查看|看看|查下|看下|检修检查|体检|诊断下|查找|找|找找)';
const WRONG_ZH =
  '(故障|问题|毛病|异常|故障原因|问题原因|原因|哪里有问题|哪里出了问题|有没有故障|有没有问题|有什么故障|有什么问题|怎么回事|是不是坏了)';
const WHAT_ZH =
  '(怎么回事|怎么了|咋回事|咋了|哪里有问题|哪里出问题|哪儿有问题|哪里出了问题|哪里坏了|哪儿坏了|出了什么问题|出什么问题|出了什么故障|有什么问题|有什么故障|有啥问题|' +
  '有啥毛病|有什么毛病|什么毛病|有没有问题|有没有故障|有没有毛病|有问题吗|有故障吗|正常吗|是否正常|正不正常|是不是坏|是不是有问题|出了啥问题|什么问题|什么故障|' +
  '为什么不工作|为啥不工作|为什么不转|为什么停)';
const HOT_ZH = '(热|冷|闷|凉|不冷|不凉|不热|不暖|不制冷|不制热|不出风|没风|没有风|没冷气|没暖气|降不下来|升不上去)';
const AIR_EN =
  'ac|a/c|air con|aircon|air conditioning|air conditioner|hvac|cooling|heating|ventilation|air handling|climate|thermostat';
const SET_EN = '(set|change|adjust|raise|lower|turn|bring|put|increase|decrease|reduce|move|keep|hold|switch|get)';
const TEMPERATURE_EN =
  'temperature|temp|set point|set-point|temperature set point|temperature set-point|target temperature|room temperature|' +
  'air temperature';
const SHOW_EN = '(show|get|check|read|tell|give|report|query|display|see|look up|look at|look|need|know)';
const DIAGNOSE_EN =
  '(diagnose|troubleshoot|analyse|analyze|check|inspect|examine|look into|look at|investigate|check out|test)';
const ALL_ZH = '所有|全部|当前|现有|现存|的所有|目前的|设备|空调|暖通|空调设备|空调系统|所有空调|全部空调|空调的';
const FAULTS_ZH =
  '(故障|异常|问题|毛病|报警|故障列表|故障清单|故障情况|异常情况|问题清单|空调故障|空调问题|设备故障|隐患)';
const LIST_ZH = '(列出|列一下|列|查|查询|查看|看看|看|显示|汇总|报|告诉我|统计|盘点|检查|排查|查查)';
const WHICH_ZH =
  '(有哪些|都有哪些|有什么|都有什么|有啥|存在哪些|出了哪些|出了什么|有多少|有几个|有没有|有无|哪些是|是否有)';
const FAULTS_EN =
  '(faults|problems|issues|failures|defects|alarms|faulty units|broken units|ac faults|hvac faults|ac problems|hvac problems|' +
  'air conditioning faults|air conditioning problems|cooling problems|equipment faults|findings)';

/** What operators say to the agent of a floor's air, and how its results are told. */
export const hvacRulePack: RulePackInput = {
  intents: [
    {
      name: 'SET_ZONE_TEMPERATURE',
      method: 'set_setpoint',
      effect: 'write',
      verbs: {
        zh: [
          '设为',
          '设到',
          '设成',
          '设定',
          '设置',
          '调到',
          '调为',
          '调成',
          '调至',
          '调高',
          '调低',
          '降到',
          '升到',
          '改为',
          '改成',
          '控制在',
          '开到',
        ],
        en: [
          'set',
          'change',
          'adjust',
          'raise',
          'lower',
          'turn',
          'bring',
          'make',
          'increase',
          'decrease',
          'reduce',
          'cool',
          'warm',
          'heat',
        ],
      },
      templates: {
        zh: [
          `[把|将|让|请把]{zone}[的|里|内|这边|那边][${AIR_ZH}][的][${TEMPERATURE_ZH}]${TO_ZH}[到|为|成|在]{value}`,
          `(设定|设置|调整|调节|修改|更改|设|调|改){zone}[的][${AIR_ZH}][的][${TEMPERATURE_ZH}](为|到|成|至|在){value}`,
          `(设定|设置|调整|调节|修改|更改|设|调){zone}[的][${AIR_ZH}][的](${TEMPERATURE_ZH})[:|=]{value}`,
          `{zone}[的][${AIR_ZH}](${TEMPERATURE_ZH}){value}`,
          `[把|将](${TEMPERATURE_ZH})${TO_ZH}[到|为|成]{value}[在|给]{zone}`,
          `[把|将]{zone}[的][${AIR_ZH}][的](${TEMPERATURE_ZH})(设定|设置|设|改|调|调整|修改|调一下|改一下)`,
          `(设定|设置|调整|调节|修改|改|调){zone}[的][${AIR_ZH}][的](${TEMPERATURE_ZH})`,
          `[把|将](空调|冷气|暖气|空调温度)${TO_ZH}[到|为|成]{value}`,
          `(给|让){zone}[的][${AIR_ZH}](制冷|制热|降温|升温|加热|降|升|冷却)(到|至){value}`,
          `{zone}[的][${AIR_ZH}](制冷|制热|降温|升温|加热|冷却)(到|至){value}`,
        ],
        en: [
          `${SET_EN} [up|down] {zone} [up|down] (to|at|=|as) {value}`,
          `${SET_EN} [up|down] (${TEMPERATURE_EN}|${AIR_EN}) [${TEMPERATURE_EN}] [up|down] (of|in|for|on|at|to) {zone} [up|down] (to|at|=|as) {value}`,
          `${SET_EN} [up|down] {zone} ['s] (${TEMPERATURE_EN}|${AIR_EN}) [${TEMPERATURE_EN}] [up|down] (to|at|=|as) {value}`,
          `${SET_EN} (${TEMPERATURE_EN}|${AIR_EN}) [${TEMPERATURE_EN}] (to|at) {value} (in|for|of|on|at) {zone}`,
          `(set|put|want|need) {value} (in|for|on|at) {zone}`,
          `(cool|warm|heat|chill) {zone} [down|up] (to|at) {value}`,
          `(cool|warm|heat|chill) [down|up] {zone} (to|at) {value}`,
          `(make|keep|hold) {zone} [at] {value}`,
          `(make|keep|hold) it {value} in {zone}`,
          `{zone} (to|at) {value}`,
          `${SET_EN} (${TEMPERATURE_EN}) (of|in|for|on|at) {zone}`,
          `${SET_EN} {zone} ['s] (${TEMPERATURE_EN})`,
          `let {zone} be [at] {value}`,
        ],
      },
      slots: { zone, value },
      example: { zh: '把三楼A区温度设为24度', en: 'set zone A on floor 3 to 24 degrees' },
    },
    {
      name: 'ZONE_STATUS',
      method: 'get_zone_status',
      effect: 'read',
      verbs: {
        zh: ['多少度', '几度', '多热', '多冷', '室温', '热不热', '冷不冷'],
        en: ['how warm', 'how hot', 'how cold', 'how cool', 'temperature', 'temp'],
      },
      templates: {
        zh: [
          `${LOOK_ZH}[一下|下]{zone}[的|里|内][${AIR_ZH}][的](${TEMPERATURE_ZH}|风量|送风量|气温|环境|空调状态|空调情况|状态|情况|运行状态|运行情况|环境状态)[是|现在|有][多少|几度|多少度|多高|如何|怎么样|怎样]`,
          '{zone}[的|里|内|现在|这会儿](多少度|几度|是几度|是多少度|有多少度|有几度|什么温度|啥温度|是什么温度|多热|多冷|有多热|有多冷|热不热|冷不冷|热吗|冷吗|凉快吗|暖和吗|室温多少)',
          `{zone}[的|里|内][${AIR_ZH}][的](${TEMPERATURE_ZH}|风量|送风量|气温)[现在|目前|是|有|到](多少|几度|多少度|多高|如何|怎么样|怎样|是多少|达标吗|正常吗)`,
          `{zone}[的][${AIR_ZH}][的](${TEMPERATURE_ZH}|气温|风量)`,
          `{zone}[的][${AIR_ZH}][的](状态|情况|运行状态|运行情况|环境情况)[如何|怎么样|怎样|是什么|呢]`,
          `{zone}[的][${AIR_ZH}](怎么样|怎样|如何|咋样|开着吗|开着没|在运行吗|运行吗|开没开|在不在运行)`,
          `${LOOK_ZH}[一下|下]{zone}[有|现在|是](多少度|几度|多热|多冷)`,
        ],
        en: [
          `(what|how high|how much) is [the] [current|present|room|air] (${TEMPERATURE_EN}|airflow|climate|status) [now] (of|in|for|on|at) {zone} [now]`,
          `what is {zone} ['s] [current|present|room|air] (${TEMPERATURE_EN}|airflow|status)`,
          'how (warm|hot|cold|cool) is [it in] {zone}',
          'how (warm|hot|cold|cool) is it (in|on|at) {zone}',
          `${SHOW_EN} [me] [what] [the] [current|present|room|air] (${TEMPERATURE_EN}|airflow|status|state|conditions|climate) [is] (of|in|for|on|at) {zone}`,
          `${SHOW_EN} [me] {zone} ['s] [current|present|room|air] (${TEMPERATURE_EN}|airflow|status|state|conditions|climate)`,
          `{zone} ['s] [current|room|air] (${TEMPERATURE_EN}|status|airflow)`,
          `(${TEMPERATURE_EN}|airflow|status) (of|in|for|on|at) {zone}`,
          `(what is|how is) [the] [status|state] (of|for) [the] (${AIR_EN}) (in|of|for|on|at) {zone}`,
          `${SHOW_EN} [me] [the] (status|state|settings) of [the] (${AIR_EN}) (in|of|for|on|at) {zone}`,
          `how is [the] (${AIR_EN}) (in|of|for|on|at) {zone} [doing|running]`,
          'how is {zone} [doing]',
          'is {zone} (too hot|too cold|hot|cold|warm|cool|comfortable)',
          'is it (too hot|too cold|hot|cold|warm|cool|comfortable) in {zone}',
          '(status|state) {zone}',
        ],
      },
      slots: { zone },
      example: { zh: '三楼A区现在多少度', en: 'what is the temperature in zone A on floor 3' },
    },
    {
      name: 'DIAGNOSE_ZONE',
      method: 'diagnose',
      effect: 'read',
      verbs: {
        zh: ['诊断', '排查', '怎么回事', '怎么了', '为什么这么热', '为什么这么冷'],
        en: ['diagnose', 'troubleshoot', 'investigate', 'what is wrong', 'why is'],
      },
      templates: {
        zh: [
          `${DIAGNOSE_ZH}[一下|下|一遍]{zone}[的|里|内](${AIR_ZH})[的]`,
          `${DIAGNOSE_ZH}[一下|下|一遍]{zone}[的|里|内][${AIR_ZH}][的|有什么]${WRONG_ZH}`,
          '(诊断|诊断诊断|排查|体检|诊断下|诊断一下|做个诊断)[一下|下|一遍]{zone}',
          `(对|给|为){zone}[的][${AIR_ZH}](做|进行|来|作)[一次|个|一个|一下](诊断|故障诊断|检查|体检|排查|检测)`,
          `{zone}[的|里|内](${AIR_ZH})[现在|到底|最近|今天|究竟]${WHAT_ZH}[呢|啊]`,
          `{zone}[的|里|内][${AIR_ZH}][到底|究竟](为什么|为啥|为何|怎么|咋|怎么会|因为什么)[会|还|又|老是|总是|一直|突然][这么|那么|这样|有点|太]${HOT_ZH}[呢|啊]`,
          `{zone}[的|里|内][${AIR_ZH}][这么|那么|有点|太|一直|老是|总是|突然]${HOT_ZH}[是|这是](怎么回事|咋回事|为什么|为啥|什么原因|啥原因|什么问题|啥问题|怎么了|咋了)`,
          `(为什么|为啥|为何|怎么){zone}[的|里|内][${AIR_ZH}][会|还|又|老是|总是|一直|突然][这么|那么|有点|太]${HOT_ZH}[呢|啊]`,
          `把{zone}[的][${AIR_ZH}](诊断|检查|排查|检测|查)[一下|一遍|下]`,
          `{zone}[的](${AIR_ZH})(诊断|故障诊断|检查|排查)[一下|下]`,
        ],
        en: [
          `${DIAGNOSE_EN} [the] (${AIR_EN}) [system|unit|units|equipment|problem|problems|issue|fault] (of|in|for|on|at) {zone}`,
          `${DIAGNOSE_EN} {zone} ['s] (${AIR_EN}) [system|unit|units|equipment|problem|problems|issue|fault]`,
          '(diagnose|troubleshoot|investigate|run a diagnosis of|run diagnostics on|run a diagnosis on) {zone}',
          `(run|do|perform|start|make) [a] [fault] (diagnosis|diagnostics|check|check up) (of|on|for|in) [the] [${AIR_EN}] [in|of|for|on] {zone}`,
          `what is [the] (wrong|matter|going on|the problem|up|happening) with [the] (${AIR_EN}) [system|unit] (of|in|for|on|at) {zone}`,
          `what is [the] (wrong|matter|going on|the problem|up|happening) (with|in) {zone}`,
          `what is [the] (wrong|matter|going on|the problem|up|happening) with {zone} ['s] (${AIR_EN})`,
          `is [there] anything wrong with [the] (${AIR_EN}) (of|in|for|on|at) {zone}`,
          'why is {zone} [so|too|still] (hot|cold|warm|cool|stuffy)',
          'why is it [so|too|still] (hot|cold|warm|cool|stuffy) (in|on|at) {zone}',
          `why is [the] (${AIR_EN}) (of|in|for|on|at) {zone} [still] (not working|not cooling|not heating|not running|off|weak)`,
          `find [out] [the] (problem|fault|cause|faults|problems) (with|of|in) [the] (${AIR_EN}) (of|in|for|on|at) {zone}`,
          'find [out] what is wrong (with|in) {zone}',
        ],
      },
      slots: { zone },
      example: { zh: '诊断三楼A区空调', en: 'diagnose the AC in zone A on floor 3' },
    },
    {
      name: 'DIAGNOSE_DEVICE',
      method: 'diagnose',
      effect: 'read',
      verbs: {
        zh: ['诊断', '排查', '怎么回事', '怎么了', '检查', '状态', '怎么样'],
        en: ['diagnose', 'troubleshoot', 'investigate', 'inspect', 'check', 'what is wrong', 'status'],
      },
      templates: {
        zh: [
          `${DIAGNOSE_ZH}[一下|下|一遍]{device}[的]`,
          `${DIAGNOSE_ZH}[一下|下|一遍]{device}[的|有什么]${WRONG_ZH}`,
          `${LOOK_ZH}[一下|下]{device}[的](状态|情况|运行状态|运行情况|工况|健康状态|状况)[如何|怎么样|怎样]`,
          '{device}[的](状态|情况|运行状态|运行情况|工况|健康状态|状况)[如何|怎么样|怎样|呢]',
          '(对|给|为){device}(做|进行|来|作)[一次|个|一个|一下](诊断|故障诊断|检查|体检|排查|检测)',
          `{device}[现在|到底|最近|今天|究竟]${WHAT_ZH}[呢|啊]`,
          '{device}(怎么样|怎样|如何|咋样|在运行吗|运行正常吗|还好吗|好着吗|在不在运行|还在转吗|还转吗)',
          '把{device}(诊断|检查|排查|检测|查)[一下|一遍|下]',
          '{device}(诊断|故障诊断|检查|排查)[一下|下]',
        ],
        en: [
          `${DIAGNOSE_EN} {device}`,
          '(run|do|perform|start|make) [a] [fault] (diagnosis|diagnostics|check|check up) (of|on|for) {device}',
          'what is [the] (wrong|matter|going on|the problem|up|happening) with {device}',
          'is [there] anything wrong with {device}',
          'is {device} [still] (ok|okay|running|working|healthy|alive|fine|faulty)',
          '(what is|how is) [the] [status|state|condition|health] [of] {device} [doing|running]',
          `${SHOW_EN} [me] [the] (status|state|condition|health) (of|for) {device}`,
          "{device} ['s] (status|state|condition|health)",
          'why is {device} (not working|not running|not cooling|not heating|off|down|so weak)',
          'why has {device} stopped',
          'find [out] what is wrong with {device}',
        ],
      },
      slots: { device },
      example: { zh: '诊断AHU-3', en: 'diagnose AHU-3' },
    },
    {
      name: 'LIST_FAULTS',
      method: 'list_faults',
      effect: 'read',
      verbs: {
        zh: ['有哪些故障', '有什么故障', '有哪些问题', '有哪些异常', '故障列表', '故障清单'],
        en: ['list faults', 'which faults', 'what faults', 'fault list'],
      },
      templates: {
        zh: [
          `{floor}[的|现在|目前|今天][${ALL_ZH}]${WHICH_ZH}[${ALL_ZH}]${FAULTS_ZH}[吗|呢]`,
          `${LIST_ZH}[一下|下]{floor}[的][${ALL_ZH}][有哪些|有什么|有没有]${FAULTS_ZH}`,
          `${LIST_ZH}[一下|下]{floor}[的][${ALL_ZH}](哪些坏|哪里有问题|哪些有问题|哪些设备有故障)`,
          '{floor}[的][空调|暖通|设备](故障列表|故障清单|故障汇总|问题清单|异常清单)',
          '{floor}[的][空调|暖通|空调设备|暖通设备](哪里有问题|哪些有问题|哪些设备有故障|哪些设备有问题|哪台有问题|哪台坏了|哪些坏了|都正常吗|正常吗|是否正常|一切正常吗|有故障吗|有问题吗)',
          `把{floor}[的][${ALL_ZH}]${FAULTS_ZH}(列出来|列一下|报一下|汇总一下|告诉我|给我看看)`,
          `(空调|暖通|空调系统)${WHICH_ZH}${FAULTS_ZH}`,
          `(列出|列一下|查看|显示)[所有|全部|当前](空调|暖通|空调系统)${FAULTS_ZH}`,
        ],
        en: [
          `(list|show|give|tell|report|display|get|check|find|look for|see) [me] [the|all] [current|present|open|active] ${FAULTS_EN} (on|of|for|in|at) {floor}`,
          `(list|show|give|get|report|display) [me] {floor} ['s] [current|open|active] ${FAULTS_EN}`,
          `(what|which|how many) [current|open|active] ${FAULTS_EN} (are|do we have|exist) [there] (on|in|at) {floor}`,
          `(what|which|how many) ${FAULTS_EN} does {floor} have`,
          `what ${FAULTS_EN} are there (on|in|at) {floor}`,
          `(are|is) there [any|some] ${FAULTS_EN} (on|in|at) {floor}`,
          `[any|current|open|active] ${FAULTS_EN} (on|of|in|at) {floor}`,
          'what is (wrong|broken|faulty) (on|with|in|at) {floor}',
          'is (anything|something) (wrong|broken|faulty) (on|with|in|at) {floor}',
          "{floor} ['s] faults",
          '(list|show) [me] [the|all] [current] (ac faults|hvac faults|ac problems|hvac problems|air conditioning faults|air conditioning problems)',
        ],
      },
      slots: { floor },
      example: { zh: '三楼有哪些故障', en: 'list the faults on floor 3' },
    },
    {
      name: 'LIST_ZONE_FAULTS',
      method: 'list_faults',
      effect: 'read',
      verbs: { zh: [], en: [] },
      templates: {
        zh: [
          `{zone}[的|现在|目前][${ALL_ZH}](有哪些|都有哪些|都有什么|存在哪些|有多少|有几个)[${ALL_ZH}]${FAULTS_ZH}[呢]`,
          `(列出|列一下|列|显示|汇总|统计)[一下|下]{zone}[的][${ALL_ZH}]${FAULTS_ZH}`,
          '{zone}[的][空调|暖通|设备](故障列表|故障清单|故障汇总|问题清单|异常清单)',
        ],
        en: [
          `(list|show|give|report|display|get) [me] [the|all] [current|present|open|active] ${FAULTS_EN} (on|of|for|in|at) {zone}`,
          `(list|show|give|report|display|get) [me] {zone} ['s] [current|open|active] ${FAULTS_EN}`,
          `(what|which|how many) ${FAULTS_EN} (are|do we have) [there] (on|in|at) {zone}`,
          `(are|is) there [any|some] ${FAULTS_EN} (on|in|at) {zone}`,
        ],
      },
      slots: { zone },
      example: { zh: '三楼A区有哪些故障', en: 'list the faults in zone A on floor 3' },
    },
  ],
  titles: {
    get_zone_status: { zh: '查区域状态', en: 'zone status' },
    diagnose: { zh: '诊断', en: 'diagnosis' },
    list_faults: { zh: '列出故障', en: 'list of faults' },
    set_setpoint: { zh: '设定温度', en: 'temperature setting' },
  },
  words: {
    fan_failure: { zh: '风机故障', en: 'fan failure' },
    compressor_not_running: { zh: '压缩机不运行', en: 'compressor not running' },
    link_unreachable: { zh: '链路上的设备全部无法通讯', en: 'silent link (none of its devices answers)' },
    equipment_unreachable: { zh: '设备无法通讯', en: 'equipment unreachable' },
    switched_off: { zh: '空调机组被关闭，区域偏离设定温度', en: 'switched off while its zones miss their set-points' },
    filter_clogged: { zh: '过滤网堵塞', en: 'clogged filter' },
    fan_low_static: { zh: '风机全速而静压不足', en: 'low duct pressure at full fan speed' },
    low_evaporator_delta_t: { zh: '蒸发器温差过小', en: 'low temperature drop over the evaporator' },
    sat_too_high: { zh: '送风温度过高', en: 'supply air too warm' },
    sat_too_low: { zh: '送风温度过低', en: 'supply air too cold' },
    simultaneous_heating_cooling: { zh: '同时加热和制冷', en: 'heating and cooling at once' },
    mixed_air_out_of_range: { zh: '混风温度不合理', en: 'mixed air out of range' },
    damper_stuck: { zh: '风阀卡滞', en: 'stuck damper' },
    low_airflow: { zh: '风量不足', en: 'low airflow' },
    sensor_fault: { zh: '传感器故障', en: 'sensor fault' },
    zone_too_hot: { zh: '区域过热', en: 'zone too hot' },
    zone_too_cold: { zh: '区域过冷', en: 'zone too cold' },
  },
  answers: {
    get_zone_status: {
      zh: '{zone@zone}：[温度 {temperature_c} °C][温度读不到（{quality.temperature_c.reason}）][，设定 {setpoint_c} °C][，风量 {airflow_m3h} m³/h]。',
      en: '{zone@zone}: [{temperature_c} °C][temperature not readable ({quality.temperature_c.reason})][, set-point {setpoint_c} °C][, airflow {airflow_m3h} m³/h].',
    },
    diagnose: {
      zh:
        '[{zone@zone}][{device_id}]诊断：{verdict|fault=发现故障|no_fault=未发现故障|incomplete=未发现故障，但有些还不能判断，请稍后再查}' +
        '[，首要故障 {findings.0.device_id} {findings.0.fault@word}（规则 {findings.0.rule}）][，链路 {findings.0.link}（{findings.0.devices}）]' +
        '[；其次 {findings.1.device_id} {findings.1.fault@word}]{supply_suspect|true=；需要检查供电|false=}' +
        '。[建议：{findings.0.recommendation.zh}。]',
      en:
        'Diagnosis of [{zone@zone}][{device_id}]: {verdict|fault=faults found|no_fault=no fault found|incomplete=no fault ' +
        'found, but not everything could be judged, ask again later}[, first {findings.0.fault@word} of {findings.0.device_id} (rule ' +
        '{findings.0.rule})][, link {findings.0.link} ({findings.0.devices})][; then {findings.1.fault@word} of {findings.1.device_id}]{supply_suspect|true=; the power ' +
        'supply has to be checked|false=}.[ Advice: {findings.0.recommendation.en}.]',
    },
    list_faults: {
      zh:
        '[{floor} 层][{zone@zone}]{verdict|fault=的故障：|no_fault=未发现故障|incomplete=未发现故障，但有些还不能判断，请稍后再查}' +
        '[{faults.0.device_id} {faults.0.fault@word}][；{faults.1.device_id} {faults.1.fault@word}]' +
        '[；{faults.2.device_id} {faults.2.fault@word}][；{faults.3.device_id} {faults.3.fault@word}]' +
        '[；{faults.4.device_id} {faults.4.fault@word}]。',
      en:
        '[Floor {floor}][{zone@zone}]: {verdict|fault=|no_fault=no fault found|incomplete=no fault found, but not ' +
        'everything could be judged, ask again later}[{faults.0.fault@word} of {faults.0.device_id}][; {faults.1.fault@word} of ' +
        '{faults.1.device_id}][; {faults.2.fault@word} of {faults.2.device_id}][; {faults.3.fault@word} of ' +
        '{faults.3.device_id}][; {faults.4.fault@word} of {faults.4.device_id}].',
    },
    set_setpoint: {
      zh: '{zone@zone}温度已设为 {temperature_c} °C[（原为 {before} °C）]。',
      en: 'The temperature of {zone@zone} was set to {temperature_c} °C[ (it was {before} °C)].',
    },
  },
};
