import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { HermesError } from '../../../shared/errors.js';
import { loadTopology, parseTopology } from '../../../topology/load.js';

const path = new URL('../../../topology/sites/x-lab.yaml', import.meta.url);
const text = readFileSync(path, 'utf8');

const MINI = `site: {id: lab, name: {zh: 实验室, en: Lab}, timezone: Asia/Shanghai}
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

const faults = (source: string): { line: number; pointer: string; problem: string }[] => {
  try {
    parseTopology(source, fileURLToPath(path));
    return [];
  } catch (error) {
    expect(error).toMatchObject({ reason: 'invalid_params' });
    return (error as HermesError).data.fields as never;
  }
};
const lineOf = (source: string, words: string): number => source.slice(0, source.indexOf(words)).split('\n').length;

describe('a topology', () => {
  test('the demo site and the smallest site are whole', () => {
    expect(faults(text)).toEqual([]);
    expect(faults(MINI)).toEqual([]);
  });

  test('a playbook that is not there is a fault of the site file, at its line', () => {
    const broken = text.replace('playbooks/floor-ac-fault.yaml', 'playbooks/none.yaml');
    expect(faults(broken)).toMatchObject([{ pointer: '/playbooks/0', line: lineOf(broken, 'playbooks/none.yaml') }]);
  });

  test('a file that is not there is said, with what to do', () => {
    expect(() => loadTopology('/nowhere/site.yaml')).toThrow(/no topology at/);
  });

  test('a fault of the syntax is at its line', () => {
    const broken = MINI.replace('links:\n', 'links: [\n');
    const [first] = faults(broken);
    expect(first?.line).toBeGreaterThanOrEqual(2);
  });

  test.each([
    ['an unknown field', 'unit: 1}', 'unit: 1, colour: red}', 'colour'],
    ['a unit out of range', 'unit: 1}', 'unit: 248}', '/devices/0/unit'],
    ['no such link', 'link: line-1, unit', 'link: line-9, unit', 'no link line-9'],
    ['no such kind', 'kind: plc, link', 'kind: pump, link', 'no device kind pump'],
    ['a device that nobody serves', 'devices: [PLC-001]}', 'devices: []}', 'no agent serves PLC-001'],
    ['a device that is not there', 'devices: [PLC-001]}', 'devices: [PLC-001, PLC-9]}', 'no device PLC-9'],
    ['an address out of range', 'address: 0,', 'address: 70000,', '/device_kinds/plc/points/0/address'],
    ['a bad agent name', 'name: plc_controller', 'name: PLC Controller', '/agents/0/name'],
  ])('%s is told with its line', (_what, from, to, words) => {
    const source = MINI.replace(from, to);
    const found = faults(source);
    const fault = found.find(({ pointer, problem }) => `${pointer} ${problem}`.includes(words));
    expect(fault, JSON.stringify(found)).toBeDefined();
    expect(fault?.line).toBe(lineOf(source, words === 'no agent serves PLC-001' ? '{id: PLC-001' : to));
  });

  test('all faults are told at once, of the schema and of the references too', () => {
    const shape = MINI.replace('unit: 1}', 'unit: 0}')
      .replace('address: 0,', 'address: -1,')
      .replace('name: plc_c', 'name: X_c');
    expect(faults(shape).length).toBe(3);
    const references = MINI.replace('kind: plc, link: line-1', 'kind: pump, link: line-9').replace(
      'devices: [PLC-001]',
      'devices: [PLC-002]',
    );
    expect(
      faults(references)
        .map(({ problem }) => problem)
        .sort(),
    ).toEqual(['no agent serves PLC-001', 'no device PLC-002', 'no device kind pump', 'no link line-9']);
  });

  test('what stands twice, overlaps or shares is told', () => {
    const twice = MINI.replace(
      '  - {id: PLC-001, kind: plc, link: line-1, unit: 1}\n',
      '  - {id: PLC-001, kind: plc, link: line-1, unit: 1}\n  - {id: PLC-001, kind: plc, link: line-1, unit: 1}\n',
    );
    const problems = faults(twice).map(({ problem }) => problem);
    expect(problems).toContain('PLC-001 stands twice');
    expect(problems.some((problem) => problem.includes('share unit 1'))).toBe(true);
    const overlap = MINI.replace(
      'access: rw}\n',
      'access: rw}\n      - {name: speed, table: holding, address: 0, type: float32}\n',
    );
    expect(faults(overlap).map(({ problem }) => problem)).toEqual(['speed overlaps status']);
  });

  test.each(['', 'null', '[]', '7', '- a\n- b'])('a file of %j is refused, not crashed on', (source) => {
    expect(faults(source).length).toBeGreaterThan(0);
  });

  test('a file that blows itself up by aliases is refused', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`)
      .join('\n')}\n`;
    expect(() => parseTopology(bomb, 'bomb.yaml')).toThrow();
    expect(faults(bomb).length).toBeGreaterThan(0);
  });
});
