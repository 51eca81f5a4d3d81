/** What can be wrong with a supply, what it means and who repairs it. Codes are the contract; intents.ts has words. */
export const FAULT_CODES = [
  'breaker_tripped',
  'breaker_open',
  'supply_lost',
  'phase_loss',
  'under_voltage',
  'over_voltage',
  'unbalance',
  'overload',
  'frequency',
  'thd',
  'low_pf',
  'meter_inconsistent',
  'meter_stale',
  'meter_unreachable',
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

export const SEVERITIES = ['low', 'medium', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface FaultRow {
  /** Rule that finds it, with the ANSI C37.2 number of the protection that would act, where there is one. */
  readonly rule: string;
  readonly standard?: string;
  /** How sure one check of a moment can be, 0 to 1. */
  readonly confidence: number;
  /** From this severity on it keeps equipment from working; absent: never. */
  readonly stops_from?: Severity;
  /** Faults at or below the same place that it accounts for. */
  readonly explains: readonly FaultCode[];
  /** Faults of the same device that it makes doubtful. */
  readonly doubts?: readonly FaultCode[];
  readonly skills: readonly string[];
  readonly recommendation: { readonly zh: string; readonly en: string };
}

const VOLTAGES = ['supply_lost', 'phase_loss', 'under_voltage', 'over_voltage', 'unbalance'] as const;
/** What a meter says on a line that is off, says of the line's state and nothing more. */
const DEAD_LINE = [...VOLTAGES, 'frequency', 'thd', 'low_pf', 'meter_inconsistent', 'meter_stale'] as const;

/** A pure table. */
export const FAULTS: Readonly<Record<FaultCode, FaultRow>> = {
  breaker_tripped: {
    rule: 'ansi_52_breaker_tripped',
    standard: 'IEC 60947-2',
    confidence: 0.98,
    stops_from: 'low',
    explains: [...DEAD_LINE, 'overload', 'meter_unreachable'],
    skills: ['power'],
    recommendation: {
      zh: '先查明跳闸原因（短路、过载、漏电），排除后再复位合闸',
      en: 'find out why it tripped (short circuit, overload, earth fault) before it is reset and closed',
    },
  },
  breaker_open: {
    rule: 'ansi_52_breaker_open',
    standard: 'IEC 60947-2',
    confidence: 0.95,
    stops_from: 'low',
    explains: [...DEAD_LINE, 'overload', 'meter_unreachable'],
    skills: ['power'],
    recommendation: {
      zh: '确认无人挂牌检修后再合闸',
      en: 'close it only after making sure that nobody has it open for work (lock-out, tag-out)',
    },
  },
  supply_lost: {
    rule: 'ansi_27_supply_lost',
    standard: 'EN 50160 (< 5 % Un)',
    confidence: 0.95,
    stops_from: 'low',
    explains: [...DEAD_LINE, 'meter_unreachable'],
    skills: ['power'],
    recommendation: {
      zh: '查上级开关和进线；进线也无电时联系供电局',
      en: 'look at the switches above and at the incomer; if that is dead too, call the utility',
    },
  },
  phase_loss: {
    rule: 'ansi_47_phase_loss',
    standard: 'IEC 61000-4-30',
    confidence: 0.93,
    stops_from: 'low',
    explains: ['phase_loss', 'under_voltage', 'unbalance', 'thd', 'low_pf', 'meter_inconsistent'],
    skills: ['power'],
    recommendation: {
      zh: '停下该线路上的三相电机，查熔断器和接线端子',
      en: 'stop three-phase motors on this line; check fuses and terminals',
    },
  },
  under_voltage: {
    rule: 'ansi_27_under_voltage',
    standard: 'GB/T 12325-2008 (220 V −10 %, 380 V −7 %)',
    confidence: 0.85,
    stops_from: 'high',
    explains: ['under_voltage'],
    skills: ['power'],
    recommendation: {
      zh: '查变压器分接头、线路压降和大负荷起动',
      en: 'check transformer taps, the drop of the line and large loads that start',
    },
  },
  over_voltage: {
    rule: 'ansi_59_over_voltage',
    standard: 'GB/T 12325-2008 (220 V +7 %, 380 V +7 %)',
    confidence: 0.85,
    stops_from: 'high',
    explains: ['over_voltage'],
    skills: ['power'],
    recommendation: {
      zh: '查变压器分接头、中性线和电容补偿',
      en: 'check transformer taps, the neutral and capacitor banks',
    },
  },
  unbalance: {
    rule: 'ansi_47_unbalance',
    standard: 'GB/T 15543-2008 (2 %)',
    confidence: 0.8,
    stops_from: 'high',
    explains: ['unbalance'],
    skills: ['power'],
    recommendation: {
      zh: '查各相负荷分配和接触不良的端子',
      en: 'check how loads are spread over the phases, and for a bad contact',
    },
  },
  overload: {
    rule: 'ansi_49_overload',
    standard: 'IEC 60898-1 (1.13 In, 1.45 In)',
    confidence: 0.85,
    explains: [],
    skills: ['power'],
    recommendation: {
      zh: '减少该回路负荷，否则断路器将跳闸',
      en: 'take load off this circuit before its breaker trips',
    },
  },
  frequency: {
    rule: 'ansi_81_frequency',
    standard: 'GB/T 15945-2008 (50 ± 0.2 Hz)',
    confidence: 0.85,
    stops_from: 'high',
    explains: ['frequency'],
    skills: ['power'],
    recommendation: {
      zh: '查是否由备用发电机供电；否则联系供电局',
      en: 'see whether a stand-by generator feeds the site; otherwise call the utility',
    },
  },
  thd: {
    rule: 'voltage_thd',
    standard: 'GB/T 14549-1993 (5 %)',
    confidence: 0.8,
    explains: ['thd'],
    skills: ['power'],
    recommendation: {
      zh: '查变频器、整流负荷和滤波装置',
      en: 'check drives, rectifiers and their filters',
    },
  },
  low_pf: {
    rule: 'ansi_55_low_power_factor',
    standard: '功率因数调整电费办法 1983 (0.90)',
    confidence: 0.85,
    explains: [],
    skills: ['power'],
    recommendation: {
      zh: '查无功补偿柜是否投入',
      en: 'see whether the capacitor bank is in service',
    },
  },
  meter_inconsistent: {
    rule: 'meter_inconsistent',
    confidence: 0.8,
    explains: [],
    doubts: ['low_pf'],
    skills: ['power'],
    recommendation: {
      zh: '查电表接线、互感器极性和寄存器字序',
      en: 'check the wiring of the meter, the polarity of its transformers and the word order of its registers',
    },
  },
  meter_stale: {
    rule: 'meter_stale',
    confidence: 0.8,
    explains: [],
    doubts: [...VOLTAGES, 'frequency', 'thd', 'low_pf', 'meter_inconsistent'],
    skills: ['power'],
    recommendation: {
      zh: '重启电表或其通信模块，再读一次',
      en: 'restart the meter or its communication module, then read it again',
    },
  },
  meter_unreachable: {
    rule: 'meter_unreachable',
    confidence: 0.9,
    explains: [],
    skills: ['power'],
    recommendation: {
      zh: '查电表电源和通信线路',
      en: 'check the power and the communication line of the meter',
    },
  },
};
