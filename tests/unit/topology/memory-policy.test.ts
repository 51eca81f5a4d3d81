import { describe, expect, test } from 'vitest';
import type { HermesError } from '../../../shared/errors.js';
import { parseTopology } from '../../../topology/load.js';

const SITE = `site: {id: lab, name: {zh: 实验室, en: Lab}, timezone: Asia/Shanghai}
links:
  - {id: line-1, address: "sim:line-1"}
device_kinds:
  plc:
    points:
      - {name: status, table: holding, address: 0, type: uint16, access: rw}
devices:
  - {id: PLC-001, kind: plc, link: line-1, unit: 1}
agents:
  - {name: plc_controller, kind: plc, serves: {devices: [PLC-001]}}
`;
const pointers = (more: string): string[] => {
  try {
    parseTopology(`${SITE}${more}\n`, '/site.yaml');
    return [];
  } catch (error) {
    return ((error as HermesError).data.fields ?? []).map(({ pointer }) => pointer);
  }
};

describe('what a site says about memory', () => {
  test.each([
    ['roles: {guard: {read: ["device_*", device_PLC-001, "*"], write: ["zone_*"]}}', []],
    ['roles: {guard: {read: [], write: []}}', ['/roles/guard']],
    ['roles: {guard: {read: ["device*"]}}', ['/roles/guard/read/0']],
    [
      'roles: {guard: {read: ["device_*"], write: ["zone_*", "_*", "device_PLC-00?"]}}',
      ['/roles/guard/write/1', '/roles/guard/write/2'],
    ],
  ])('%s: faults at %j', (more, expected) => {
    expect(pointers(more)).toEqual(expected);
  });

  test.each(['device_*: 0h', 'device_*: 36', 'device_*: -1d', 'device: 36h', 'wish_*: 1d', '"*": 1d'])(
    'the life %s is refused',
    (row) => {
      expect(pointers(`policies: {retention: {${row}}}`).length).toBeGreaterThan(0);
    },
  );

  test('lives are hours, days, or never', () => {
    const { policies } = parseTopology(
      `${SITE}policies: {retention: {device_*: 36h, report_*: never, goal_*: 10d}}\n`,
      '/site.yaml',
    );
    expect(policies.retention).toEqual({ device_: 36 * 3_600_000, report_: null, goal_: 10 * 86_400_000 });
  });
});
