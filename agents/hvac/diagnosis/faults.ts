import type { Language } from '../../../shared/site.js';

export const SEVERITIES = ['low', 'medium', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];

interface FaultRow {
  /** Skills that whoever repairs it needs. */
  readonly skills: readonly string[];
  /** What to do first. */
  readonly recommendation: Readonly<Record<Language, string>>;
  /** Something that was told to run shows no sign of it, or is silent: the supply may be the cause. */
  readonly supply?: true;
}

/** What can be found, causes before effects: of two equally severe findings the upper one is told first. */
export const FAULTS = {
  fan_failure: {
    skills: ['hvac'],
    supply: true,
    recommendation: {
      zh: '检查风机供电、热继电器、皮带和变频器，手动启动风机确认',
      en: "check the fan's supply, overload relay, belt and drive; start it by hand to confirm",
    },
  },
  compressor_not_running: {
    skills: ['hvac', 'refrigerant'],
    supply: true,
    recommendation: {
      zh: '检查压缩机供电、接触器、高低压保护和启动电容',
      en: "check the compressor's supply, contactor, pressure switches and start capacitor",
    },
  },
  link_unreachable: {
    skills: ['hvac'],
    supply: true,
    recommendation: {
      zh: '检查该链路的网关、交换机和总线，以及网关供电',
      en: "check the link's gateway, its switch and bus, and the gateway's supply",
    },
  },
  /** Communication and controller come first; whether it is the supply, the supply check decides. */
  equipment_unreachable: {
    skills: ['hvac'],
    supply: true,
    recommendation: {
      zh: '检查控制器供电、通讯线和网关',
      en: "check the controller's supply, its cable and the gateway",
    },
  },
  switched_off: {
    skills: ['hvac'],
    recommendation: {
      zh: '打开空调机组；若为有意关闭，确认时间表和风机指令',
      en: 'switch the air handler on; where it is meant to be off, check the schedule and the fan command',
    },
  },
  filter_clogged: {
    skills: ['hvac'],
    recommendation: { zh: '更换或清洗过滤网', en: 'change or clean the filter' },
  },
  fan_low_static: {
    skills: ['hvac'],
    recommendation: {
      zh: '检查皮带打滑、过滤网、防火阀和静压传感器管路',
      en: 'check for a slipping belt, a clogged filter, a closed fire damper, and the static sensor’s tube',
    },
  },
  low_evaporator_delta_t: {
    skills: ['hvac', 'refrigerant'],
    recommendation: {
      zh: '检查制冷剂充注量、压缩机和蒸发器盘管',
      en: 'check the refrigerant charge, the compressor and the evaporator coil',
    },
  },
  sat_too_high: {
    skills: ['hvac'],
    recommendation: {
      zh: '检查冷冻水供水温度和流量、冷水阀执行器',
      en: "check chilled water temperature and flow, and the cooling valve's actuator",
    },
  },
  sat_too_low: {
    skills: ['hvac'],
    recommendation: {
      zh: '检查热水供水温度和流量、热水阀执行器、新风阀',
      en: "check hot water temperature and flow, the heating valve's actuator and the outdoor air damper",
    },
  },
  simultaneous_heating_cooling: {
    skills: ['hvac'],
    recommendation: {
      zh: '检查冷水阀和热水阀是否卡滞或内漏，检查控制程序',
      en: 'check both coil valves for sticking and leaking, and the control program',
    },
  },
  mixed_air_out_of_range: {
    skills: ['hvac'],
    recommendation: {
      zh: '比对混风、回风、新风温度传感器，检查其位置和校准',
      en: 'compare the mixed, return and outdoor air sensors; check their places and calibration',
    },
  },
  damper_stuck: {
    skills: ['hvac'],
    recommendation: {
      zh: '检查风阀执行器、连杆和轴',
      en: "check the damper's actuator, linkage and shaft",
    },
  },
  low_airflow: {
    skills: ['hvac'],
    recommendation: {
      zh: '检查末端风阀、支管和风量传感器',
      en: "check the box's damper, its duct and the flow sensor",
    },
  },
  sensor_fault: {
    skills: ['hvac'],
    recommendation: {
      zh: '检查传感器接线，更换或校准传感器',
      en: "check the sensor's wiring; replace or calibrate it",
    },
  },
  zone_too_hot: {
    skills: ['hvac'],
    recommendation: {
      zh: '检查该区域的冷负荷、门窗和末端',
      en: "check the zone's heat gains, its doors and windows, and its box",
    },
  },
  zone_too_cold: {
    skills: ['hvac'],
    recommendation: {
      zh: '检查该区域的热损失、门窗和再热阀',
      en: "check the zone's losses, its doors and windows, and the reheat valve",
    },
  },
} as const satisfies Readonly<Record<string, FaultRow>>;

export type Fault = keyof typeof FAULTS;
export const FAULT_CODES = Object.keys(FAULTS) as [Fault, ...Fault[]];

/** Place in the order of causes: smaller stands further up. */
export const rankOf = (fault: Fault): number => FAULT_CODES.indexOf(fault);

/** Whether the supply of what has the fault should be looked at. */
export const asksForSupply = (fault: Fault): boolean => (FAULTS[fault] as FaultRow).supply === true;
