import { describe, expect, test } from 'vitest';
import { homeOf } from '../../../coordinator/index.js';
import { type Manifest, manifestSchema } from '../../../mcp/index.js';
import { siteOf } from '../../../topology/index.js';
import { demoTopology } from '../../support/demo-site.js';

const site = siteOf(demoTopology());
const keeper = (name: string, homes: readonly string[]): Manifest =>
  manifestSchema.parse({
    component: `${name}_v1.0`,
    description: { zh: '一', en: 'one' },
    supported_mcp_versions: ['1.2'],
    methods: [],
    homes,
  });
const manifests = [
  ...[1, 2, 3].map((floor) => keeper(`floor${floor}_hvac_agent`, ['zone', 'status', 'diagnosis'])),
  keeper('power_supply_agent', ['meter', 'supply']),
  keeper('maintenance_scheduling_agent', ['work_order']),
];

describe('the home of a scope', () => {
  test.each([
    ['device_PLC-007', 'plc_controller'],
    ['device_ahu2', 'floor2_hvac_agent'],
    ['link_hvac-3', 'floor3_hvac_agent'],
    ['zone_F3-A', 'floor3_hvac_agent'],
    ['status_F3-A', 'floor3_hvac_agent'],
    ['diagnosis_F2-B', 'floor2_hvac_agent'],
    ['diagnosis_AHU-1', 'floor1_hvac_agent'],
    ['diagnosis_floor-3', 'floor3_hvac_agent'],
    ['supply_F3-A', 'power_supply_agent'],
    ['meter_M-0', 'power_supply_agent'],
    ['work_order_WO-1234ABCD', 'maintenance_scheduling_agent'],
    ['alarm_restart-failed-PLC-003-1767600000000', 'plc_controller'],
    ['goal_g-1', 'production_coordinator'],
    ['config_manifest-plc-controller', 'production_coordinator'],
  ])('%s is %s', (scope, home) => {
    expect(homeOf(scope, site, manifests)).toBe(home);
  });

  test('is never one that joined without a row, whatever it announces', () => {
    const joined = [...manifests, keeper('a_guest', ['work_order', 'timetable'])];
    expect(homeOf('work_order_WO-1234ABCD', site, joined)).toBe('maintenance_scheduling_agent');
    expect(() => homeOf('timetable_T-1', site, joined)).toThrow(/nobody is the home/);
  });
});
