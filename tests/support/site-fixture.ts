import type { Device, Point } from '../../shared/device.js';
import type { Site } from '../../shared/site.js';

const points: readonly Point[] = [
  { name: 'temperature', table: 'input', address: 9, type: 'int16', scale: 0.1, unit: '°C', access: 'r' },
  { name: 'voltage', table: 'input', address: 10, type: 'uint16', scale: 0.1, unit: 'V', access: 'r' },
  {
    name: 'temperature_setpoint',
    table: 'holding',
    address: 0,
    type: 'int16',
    scale: 0.1,
    unit: '°C',
    access: 'rw',
    min: 5,
    max: 90,
  },
  { name: 'heating_power', table: 'holding', address: 1, type: 'uint16', unit: '%', access: 'rw', min: 0, max: 100 },
  {
    name: 'speed_setpoint',
    table: 'holding',
    address: 2,
    type: 'float32',
    word_order: 'CDAB',
    unit: 'rpm',
    access: 'rw',
  },
];

const NAMES: Readonly<Record<number, readonly string[]>> = {
  3: ['搅拌机', 'mixer'],
  7: ['灌装机', 'filler'],
  8: ['贴标机', 'labeller'],
};

const plc = (number: number): Device => ({
  id: `PLC-${String(number).padStart(3, '0')}`,
  kind: 'plc',
  names: NAMES[number] ?? [],
  link: `line-${Math.ceil(number / 3)}`,
  unit: number,
  criticality: 2,
  points,
  home: 'plc_controller_v1.2',
});

const person = (id: string, zh: readonly string[], en: readonly string[]) => ({
  id,
  names: { zh, en },
  email: `${id}@x-lab.example`,
  skills: ['plc'],
  roles: ['engineer'],
});

/** A site of 12 PLCs, five people, one group and nine zones for tests of language. */
export const siteFixture: Site = {
  id: 'x-lab',
  name: { zh: 'X 实验室', en: 'X Lab' },
  timezone: 'Asia/Shanghai',
  floors: [1, 2, 3].map((floor) => ({
    floor,
    zones: ['A', 'B', 'C'].map((letter) => ({ id: `F${floor}-${letter}`, floor, name: `${floor}楼${letter}区` })),
  })),
  links: [],
  devices: Array.from({ length: 12 }, (_, index) => plc(index + 1)),
  people: [
    person('zhang', ['张工'], ['Zhang']),
    person('li', ['李工'], ['Li']),
    person('wang', ['王工'], ['Wang']),
    person('chen', ['陈主管'], ['Chen']),
    person('liu', ['刘工'], ['Liu']),
  ],
  groups: [
    { id: 'ops', names: { zh: ['运维组', '运维'], en: ['ops', 'operations', 'ops team'] }, members: ['zhang', 'li'] },
  ],
  calendars: {},
  agents: [],
  channels: {},
};
