import type { RulePackInput } from '../runtime/index.js';

/** Somebody reports that there is no power: 停 and no are the report, no cancel. */
const outage = (slot: string): { zh: string[]; en: string[] } => ({
  zh: [
    `{${slot}}[的|里|里的][整个|全部|都|又|突然|现在|好像|全|所有设备](停电|没电|断电|跳闸|掉电|缺相|失电|没有电|停了电|没有供电|没供电)[了]`,
    `{${slot}}[的|里|里的](供电|电源|电)[又|突然|现在|好像|全](断了|停了|没了|掉了|中断了|没有了|不通)`,
  ],
  en: [
    `{${slot}} (has|has got|got) no (power|electricity|supply)`,
    `{${slot}} (lost|has lost|is without|is out of|has no more) [the|its] (power|electricity|supply)`,
    `{${slot}} does not have [any] (power|electricity)`,
    `[there is] no (power|electricity) (in|at|on|for) {${slot}}`,
    `[the] (power|electricity|supply) (is out|is off|is down|is gone|went out|has gone|failed) (in|at|on|for) {${slot}}`,
    `[there is] [a] (power outage|power cut|power failure|blackout) (in|at|on) {${slot}}`,
  ],
});

const verbs = {
  zh: ['供电', '电源', '馈线', '供配电', '停电', '没电', '断电', '跳闸', '掉电', '缺相'],
  en: ['supply', 'power supply', 'feeder', 'mains', 'electricity', 'power', 'tripped'],
};

/** What operators say to the power agent, and how its results are told. */
export const powerRulePack: RulePackInput = {
  intents: [
    {
      name: 'CHECK_SUPPLY',
      method: 'check_supply',
      effect: 'read',
      verbs,
      templates: {
        zh: [
          '(检查|查|看|查看|核实|确认|检测|排查|诊断|查查|看看|检查检查|巡查|了解|测)[一|一下|下]{zone}[的|里|里的](供电|电源|供配电|电力供应|供电回路|配电|电)[的][情况|' +
            '状况|状态|质量|系统|线路][是否正常|是不是正常|正不正常|有没有问题|是否有问题|正常吗|有问题吗|正常不正常|怎么样|如何|有没有|正常不]',
          '{zone}[的|里|里的](供电|电源|供配电|电力供应|供电回路|配电|电)[的][情况|状况|状态|质量|系统|线路][现在|目前|还|是|是不是|是否|有没有|有](正常|问题|异常|故障|怎么样|' +
            '如何|怎样|好着|稳定|可靠|怎么了|怎么回事|啥情况|有没有问题|有问题)[吗|么|没有|没|不|呢|了]',
          '{zone}[是不是|是否|有没有|现在|怎么](停电|没电|断电|跳闸|掉电|缺相|失电)[了][吗|么|没有|没]',
          '{zone}[还|现在|到底](有电|来电)[吗|么|没有|没|了吗]',
          '(检查|查|看|查看)[一下|下](供电|电源|供电情况|供电状态)',
          '供电[情况|状态][是|现在](正常|怎么样|如何)[吗]',
        ],
        en: [
          '(check|inspect|verify|test|examine|look at|look into|see|diagnose|review|show|get) [me] [the] [power|' +
            'electrical|electric|electricity|mains] (supply|feed|mains|electricity|feeder) (of|for|to|in|at|on) {zone}',
          '(check|inspect|verify|test|examine|look at|look into|see|diagnose) [the] power (to|for|in|at) {zone}',
          "(check|inspect|verify|test|examine|diagnose) {zone} ['s] [power|electrical] (supply|power|feed)",
          '(is|check if|check whether|see if|see whether|tell me if) [the] (power|supply|power supply|electricity|mains) ' +
            '(to|of|in|for|at|on) {zone} [is] [still] (ok|okay|fine|alright|all right|normal|good|on|healthy|working|in order|up|stable)',
          '(does|has) {zone} (have|got|get|still have) [any] (power|electricity)',
          'is there [any] (power|electricity) (in|at|on) {zone}',
          '(how is|what about|what is wrong with) [the] (power|supply|power supply) (to|of|in|for|at) {zone}',
          '(check|inspect) [the] (power supply|supply)',
        ],
      },
      slots: {
        zone: { entity: 'zone', param: 'zone', ask: { zh: '检查哪个区域的供电？', en: 'The supply of which zone?' } },
      },
      example: { zh: '检查三楼A区供电', en: 'check the supply of zone A on floor 3' },
    },
    {
      name: 'CHECK_DEVICE_SUPPLY',
      method: 'check_supply',
      effect: 'read',
      verbs,
      templates: {
        zh: [
          '(检查|查|看|查看|核实|确认|检测|排查|诊断|查查|看看|巡查|了解|测)[一|一下|下]{device}[的](供电|电源|供配电|电力供应|供电回路|馈线|回路|进线|上级电源)[的][情况|' +
            '状况|状态|质量|线路][是否正常|是不是正常|正不正常|有没有问题|是否有问题|正常吗|有问题吗|怎么样|如何]',
          '(检查|查|看|查看|核实|检测|排查|诊断)[一|一下|下](馈线|供电馈线|供电回路|配电回路|断路器|馈线开关){device}[的][情况|状态|供电][正常吗|怎么样|有没有问题]',
          '{device}[的](供电|电源|供配电|电力供应|供电回路|馈线|进线)[的][情况|状况|状态|质量|线路][现在|目前|还|是|是不是|是否|有没有|有](正常|问题|异常|故障|怎么样|如何|' +
            '怎样|好着|稳定|可靠|怎么了|怎么回事|啥情况|有没有问题|有问题)[吗|么|没有|没|不|呢|了]',
          '{device}[是不是|是否|有没有|现在|怎么](停电|没电|断电|跳闸|掉电|缺相|失电)[了][吗|么|没有|没]',
          '{device}[还|现在|到底](有电|来电)[吗|么|没有|没|了吗]',
          '(馈线|供电回路|断路器|馈线开关){device}[的][情况|状态](正常|怎么样|如何|有没有问题|跳闸了)[吗|没有]',
        ],
        en: [
          '(check|inspect|verify|test|examine|look at|look into|see|diagnose|review|show|get) [me] [the] [power|' +
            'electrical|electric|electricity|mains] (supply|feed|mains|electricity|feeder) (of|for|to|at|on) {device}',
          '(check|inspect|verify|test|examine|look at|look into|diagnose) [the] power (to|for|at) {device}',
          "(check|inspect|verify|test|examine|diagnose) {device} ['s] [power|electrical] (supply|feed)",
          '(check|inspect|verify|test|examine|diagnose) [the] (feeder|breaker|circuit) {device}',
          '(is|check if|check whether|see if|see whether|tell me if) [the] (power|supply|power supply|electricity|mains) ' +
            '(to|of|for|at|on) {device} [is] [still] (ok|okay|fine|alright|all right|normal|good|on|healthy|working|in order|up|stable)',
          '(does|has) {device} (have|got|get|still have) [any] (power|electricity)',
          'is there [any] (power|electricity) (at|on) {device}',
          '(has|did) [the] [breaker|feeder] {device} (tripped|trip)',
          '(how is|what about|what is wrong with) [the] (power|supply|power supply) (to|of|for|at) {device}',
        ],
      },
      slots: {
        device: {
          entity: 'device',
          param: 'device_id',
          ask: { zh: '检查哪台设备的供电？', en: 'The supply of which device?' },
        },
      },
      example: { zh: 'AHU-3的供电正常吗', en: 'is the power to AHU-3 ok' },
    },
    {
      name: 'CHECK_FLOOR_SUPPLY',
      method: 'check_supply',
      effect: 'read',
      verbs: { zh: [], en: [] },
      templates: {
        zh: [
          '(检查|查|看|查看|核实|确认|检测|排查|诊断|看看|了解)[一|一下|下]{floor}[的|整层|整层的](供电|电源|供配电|配电|电)[的][情况|状况|状态|质量|线路]' +
            '[是否正常|正不正常|有没有问题|正常吗|有问题吗|怎么样|如何]',
          '{floor}[的|整层|整层的](供电|电源|供配电|配电|电)[的][情况|状况|状态|质量|线路][现在|目前|还|是|是不是|是否|有没有|有](正常|问题|异常|故障|怎么样|如何|稳定|怎么回事|有问题)[吗|么|没有|没|不|呢|了]',
          '{floor}[是不是|是否|有没有|现在|怎么](停电|没电|断电|跳闸|掉电|缺相|失电)[了][吗|么|没有|没]',
          '{floor}[还|现在|到底](有电|来电)[吗|么|没有|没|了吗]',
        ],
        en: [
          '(check|inspect|verify|test|examine|look at|look into|diagnose|show|get) [me] [the] [power|electrical|mains] ' +
            '(supply|feed|mains|electricity|feeder|power) (of|for|to|in|at|on) {floor}',
          '(is|check if|check whether|see if|see whether) [the] (power|supply|power supply|electricity|mains) ' +
            '(to|of|in|for|at|on) {floor} [is] [still] (ok|okay|fine|alright|all right|normal|good|on|healthy|working|in order|up|stable)',
          '(does|has) {floor} (have|got|get|still have) [any] (power|electricity)',
          'is there [any] (power|electricity) (in|at|on) {floor}',
        ],
      },
      slots: {
        floor: { entity: 'floor', param: 'floor', ask: { zh: '检查哪一层的供电？', en: 'The supply of which floor?' } },
      },
      example: { zh: '检查三楼供电', en: 'check the supply of floor 3' },
    },
    {
      name: 'REPORT_ZONE_OUTAGE',
      method: 'check_supply',
      effect: 'read',
      report: true,
      verbs: { zh: [], en: [] },
      templates: outage('zone'),
      slots: { zone: { entity: 'zone', param: 'zone', ask: { zh: '哪个区域停电？', en: 'Which zone has no power?' } } },
      example: { zh: '三楼A区停电了', en: 'F3-A has no power' },
    },
    {
      name: 'REPORT_FLOOR_OUTAGE',
      method: 'check_supply',
      effect: 'read',
      report: true,
      verbs: { zh: [], en: [] },
      templates: outage('floor'),
      slots: {
        floor: { entity: 'floor', param: 'floor', ask: { zh: '哪一层停电？', en: 'Which floor has no power?' } },
      },
      example: { zh: '三楼停电了', en: 'floor 3 has no power' },
    },
    {
      name: 'REPORT_DEVICE_OUTAGE',
      method: 'check_supply',
      effect: 'read',
      report: true,
      verbs: { zh: [], en: [] },
      templates: outage('device'),
      slots: {
        device: {
          entity: 'device',
          param: 'device_id',
          ask: { zh: '哪台设备没电？', en: 'Which device has no power?' },
        },
      },
      example: { zh: 'AHU-3没电了', en: 'AHU-3 has no power' },
    },
    {
      name: 'CHECK_BREAKER',
      method: 'check_supply',
      effect: 'read',
      verbs: { zh: [], en: [] },
      templates: {
        zh: [
          '(检查|查|看|查看|核实|确认|检测|排查|看看|读|读取)[一|一下|下]{breaker}[的][情况|状态|状况][正常吗|怎么样]',
          '{breaker}[的|现在](情况|状态|状况|怎么样|正常吗|合着吗|断开了吗|是合还是分)',
        ],
        en: ['(check|inspect|verify|test|examine|look at|show|get|read) [me] [the] [status of|state of] {breaker}'],
      },
      slots: {
        breaker: {
          entity: 'device',
          param: 'feeder',
          served: true,
          pattern_prefix: 'BRK',
          ask: { zh: '哪个断路器？', en: 'Which breaker?' },
        },
      },
      example: { zh: '检查BRK-3', en: 'check BRK-3' },
    },
    {
      name: 'READ_METER',
      method: 'read_meter',
      effect: 'read',
      verbs: {
        zh: ['电表', '抄表', '读表', '读数', '示数', '电量', '用电量', '电度', '千瓦时', '功率因数'],
        en: ['meter', 'meter reading', 'energy', 'kwh', 'power factor'],
      },
      templates: {
        zh: [
          '(读|读取|查|看|查看|抄|抄一下|读一读|查询|显示|查查|看看|报|调取|告诉我)[一下|下][电表]{meter}[的|这块][电表|表|仪表][的][当前|实时|所有|全部|现在的][读数|示数|数据|' +
            '数值|表码|电压|电流|功率|有功|无功|电量|用电量|电度|频率|功率因数|电压电流|总功率|三相电压|三相电流]',
          '[电表]{meter}[的|这块][电表|表|仪表][的][现在|当前|目前|实时](读数|示数|数据|数值|表码|电压|电流|功率|有功|无功|电量|用电量|电度|频率|功率因数|总功率|三相电压|三相电流)[现在|' +
            '目前][是|有|到][多少|几|几伏|几安|多大|多高|怎么样|什么|几度|了]',
          '[电表]{meter}[的][用|走]了(多少|几)(度电|度|电|千瓦时)',
          '抄[一下|下]{meter}[的]表',
        ],
        en: [
          '(read|show|get|check|query|display|fetch|tell me|give me|report|see|need) [me] [the] [meter|readings of|' +
            'reading of|values of|readings of meter|reading of meter|values of meter] {meter}',
          "(read|show|get|check|query|display|fetch|tell me|give me|report|see|need) [me] {meter} ['s] [current|live] " +
            '(readings|reading|values|data|voltage|voltages|current|currents|power|energy|frequency|power factor|' +
            'consumption)',
          '(read|show|get|check|query|display|fetch|tell me|give me|report) [me] [the] [current|live|present] (readings|' +
            'reading|values|data|voltage|voltages|currents|power|energy|frequency|power factor|consumption) (of|on|' +
            'from|at|for) [meter] {meter}',
          '(what|how high|how much) is [the] [current|live|present] (reading|voltage|current|power|energy|frequency|power ' +
            'factor|consumption) (of|on|from|at|for) [meter] {meter}',
          '(what are) [the] (readings|values|voltages|currents) (of|on|from|at|for) [meter] {meter}',
          "what is {meter} ['s] (reading|voltage|current|power|energy|frequency|power factor|consumption)",
          'what does [meter] {meter} (say|read|show)',
          'meter {meter}',
        ],
      },
      slots: {
        meter: {
          entity: 'device',
          param: 'meter_id',
          served: true,
          pattern_prefix: 'M',
          ask: { zh: '读哪块电表？', en: 'Which meter?' },
        },
      },
      example: { zh: '读一下M-3电表', en: 'read meter M-3' },
    },
  ],
  titles: {
    check_supply: { zh: '检查供电', en: 'supply check' },
    read_meter: { zh: '读电表', en: 'meter reading' },
  },
  words: {
    breaker_tripped: { zh: '断路器跳闸', en: 'breaker tripped' },
    breaker_open: { zh: '断路器断开', en: 'breaker open' },
    supply_lost: { zh: '失电', en: 'supply lost' },
    phase_loss: { zh: '缺相', en: 'phase lost' },
    under_voltage: { zh: '电压过低', en: 'under-voltage' },
    over_voltage: { zh: '电压过高', en: 'over-voltage' },
    unbalance: { zh: '三相不平衡', en: 'voltage unbalance' },
    overload: { zh: '过载', en: 'overload' },
    frequency: { zh: '频率超限', en: 'frequency out of limits' },
    thd: { zh: '谐波超限', en: 'voltage distortion' },
    low_pf: { zh: '功率因数偏低', en: 'low power factor' },
    meter_inconsistent: { zh: '电表数据自相矛盾', en: 'meter values contradict one another' },
    meter_stale: { zh: '电表数据不刷新', en: 'meter values do not move' },
    meter_unreachable: { zh: '电表无应答', en: 'meter does not answer' },
  },
  answers: {
    check_supply: {
      zh:
        '[{zone@zone}][{device_id}][{feeder}][{floor} 楼]供电检查：{verdict|ok=供电正常|cause=供电是原因|unknown=无法判断供电是否正常}' +
        '[：{cause_device} {cause@word}][：{not_known} 的状态读不到][（{not_measured} 之后没有电表，缺相等看不到）]。[处理建议（{findings.0.device_id} {findings.0.fault@word}）：{findings.0.recommendation.zh}。]',
      en:
        'Supply of [{zone@zone}][{device_id}][{feeder}][floor {floor}]: {verdict|ok=in order|cause=the supply is the cause|' +
        'unknown=nobody can tell whether it is in order}[: {cause@word} ({cause_device})][: the state of {not_known} is not known]' +
        '[ (no meter sees what comes out of {not_measured})].[ Advice ({findings.0.fault@word}, {findings.0.device_id}): {findings.0.recommendation.en}.]',
    },
    read_meter: {
      zh:
        '{meter_id}[：电压 {points.voltage_l1}/{points.voltage_l2}/{points.voltage_l3}]' +
        '[，电流 {points.current_l1}/{points.current_l2}/{points.current_l3}][，有功功率 {points.power_total}]' +
        '[，功率因数 {points.power_factor}][，频率 {points.frequency}][，电量 {points.energy_import}]。',
      en:
        '{meter_id}[: voltage {points.voltage_l1}/{points.voltage_l2}/{points.voltage_l3}]' +
        '[, current {points.current_l1}/{points.current_l2}/{points.current_l3}][, power {points.power_total}]' +
        '[, power factor {points.power_factor}][, frequency {points.frequency}][, energy {points.energy_import}].',
    },
  },
};
