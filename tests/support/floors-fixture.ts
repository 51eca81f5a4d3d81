import { plcRulePack } from '../../agents/plc/intents.js';
import { type RulePackInput, rulePackSchema } from '../../agents/runtime/index.js';
import { type ComponentPack, createSessionEngine } from '../../agents/runtime/session/index.js';
import { schedulingRulePack } from '../../agents/scheduling/intents.js';
import type { Device } from '../../shared/device.js';
import type { Serving, Site } from '../../shared/site.js';
import { siteFixture } from './site-fixture.js';

const zone = { entity: 'zone', param: 'zone', served: true, ask: { zh: '哪个区域？', en: 'Which zone?' } } as const;
const unit = { entity: 'device', param: 'device_id', served: true, ask: { zh: '哪台？', en: 'Which one?' } } as const;
const meter = { ...unit, param: 'meter_id' } as const;
const example = { zh: '诊断三楼A区', en: 'diagnose zone A on floor 3' };

/** What each of the three floors announces, word for word. */
const floorPack: RulePackInput = {
  intents: [
    {
      name: 'ZONE_DIAGNOSE',
      method: 'diagnose',
      effect: 'read',
      verbs: { zh: ['诊断', '排查'], en: ['diagnose'] },
      templates: { zh: ['(诊断|排查)[一下]{zone}[的][空调]'], en: ['diagnose [the] [AC] [in|of|at] {zone}'] },
      slots: { zone },
      example,
    },
    {
      name: 'UNIT_STATUS',
      method: 'get_unit_status',
      effect: 'read',
      verbs: { zh: ['查', '看'], en: ['check', 'show'] },
      templates: { zh: ['(查|看|检查)[一下]{unit}[的][状态]'], en: ['(check|show) [the] [status] [of] {unit}'] },
      slots: { unit },
      example,
    },
    {
      name: 'ZONE_SETPOINT',
      method: 'set_setpoint',
      effect: 'write',
      verbs: { zh: ['设', '调'], en: ['set', 'turn'] },
      templates: {
        zh: ['[把|将]{zone}[的][空调][温度|设定温度](设为|设到|设置为|调到|调至|调成){value}'],
        en: [
          '(set|turn|put) [up|down] {zone} to {value}',
          '(set|turn|change) [up|down] [the] temperature (of|in) {zone} to {value}',
        ],
      },
      slots: { zone, value: { entity: 'number', param: 'temperature_c' } },
      example,
    },
    {
      name: 'FAULTS',
      method: 'list_faults',
      effect: 'read',
      verbs: { zh: ['故障列表'], en: ['faults'] },
      templates: { zh: ['列出[{floor}][的][所有]空调故障'], en: ['list [all] AC faults [on|of] [{floor}]'] },
      slots: { floor: { entity: 'floor', param: 'floor', served: true, required: false } },
      example,
    },
  ],
  titles: { set_setpoint: { zh: '设定温度', en: 'setting the temperature' } },
};

/** Says "查{device}" as the floors and the PLC agent do. */
const powerPack: RulePackInput = {
  intents: [
    {
      name: 'METER_READ',
      method: 'read_meter',
      effect: 'read',
      verbs: { zh: ['查', '读', '抄'], en: ['read', 'check'] },
      templates: {
        zh: ['(查|看|读|检查)[一下]{meter}[的][读数|状态]'],
        en: ['(read|check|show) [the] [status of] {meter}'],
      },
      slots: { meter },
      example: { zh: '读M-1', en: 'read M-1' },
    },
  ],
};

/** A playbook as the coordinator makes it known. */
const playbookPack: RulePackInput = {
  intents: [
    {
      name: 'FLOOR_AC_FAULT',
      method: 'floor_ac_fault',
      effect: 'write',
      report: true,
      verbs: { zh: [], en: [] },
      templates: {
        zh: ['{zone}[的]空调(故障|坏|坏了|不制冷|没反应|出故障)'],
        en: ['AC (in|at|of) {zone} (is broken|fails|is not cooling|has failed)'],
      },
      slots: { zone: { ...zone, served: false } },
      example: { zh: '三楼A区空调故障', en: 'AC in zone A on floor 3 is broken' },
    },
    {
      name: 'UNIT_TROUBLE',
      method: 'unit_trouble',
      effect: 'write',
      report: true,
      verbs: { zh: [], en: [] },
      templates: { zh: ['{unit}(故障|坏了|坏)'], en: ['{unit} is broken'] },
      slots: { unit },
      example: { zh: 'AHU-3坏了', en: 'AHU-3 is broken' },
    },
  ],
};

const device = (id: string, kind: string, home: string): Device => ({
  id,
  kind,
  names: [],
  link: 'building',
  unit: 1,
  criticality: 2,
  points: [],
  home,
});

const FLOORS = [1, 2, 3];
const letters = ['A', 'B', 'C'];

const agents: readonly Serving[] = [
  { name: 'plc_controller', devices: siteFixture.devices.map(({ id }) => id), zones: [], floors: [] },
  ...FLOORS.map((floor) => ({
    name: `floor${floor}_hvac_agent`,
    devices: [`AHU-${floor}`],
    zones: letters.map((letter) => `F${floor}-${letter}`),
    floors: [floor],
  })),
  { name: 'power_supply_agent', devices: ['M-1', 'M-2'], zones: [], floors: [] },
  { name: 'maintenance_scheduling_agent', devices: [], zones: [], floors: [] },
];

export const floorsSite: Site = {
  ...siteFixture,
  floors: FLOORS.map((floor) => ({
    floor,
    zones: letters.map((letter) => ({
      id: `F${floor}-${letter}`,
      floor,
      name: floor === 3 ? `Office ${letter}` : `${floor}楼${letter}区`,
    })),
  })),
  devices: [
    ...siteFixture.devices,
    ...FLOORS.map((floor) => device(`AHU-${floor}`, 'ahu', `floor${floor}_hvac_agent_v1.0`)),
    device('M-1', 'meter', 'power_supply_agent_v1.0'),
    device('M-2', 'meter', 'power_supply_agent_v1.0'),
    device('CAM-1', 'camera', ''),
  ],
  agents,
};

/** Each floor parses its own manifest: equal in content, not the same object. */
export const floorsPacks = (): ComponentPack[] => [
  { component: 'plc_controller', pack: rulePackSchema.parse(plcRulePack) },
  { component: 'power_supply_agent', pack: rulePackSchema.parse(powerPack) },
  ...FLOORS.map((floor) => ({ component: `floor${floor}_hvac_agent`, pack: rulePackSchema.parse(floorPack) })),
  { component: 'maintenance_scheduling_agent', pack: rulePackSchema.parse(schedulingRulePack) },
  { component: 'production_coordinator', pack: rulePackSchema.parse(playbookPack) },
];

/** An engine on a site of three floors with an agent each, a power agent whose words collide, and a playbook. */
export function floorsEngine(site: Site = floorsSite, packs = floorsPacks()) {
  return createSessionEngine({ packs: () => packs, site: () => site });
}
