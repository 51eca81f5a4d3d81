import type { Point } from '../../shared/device.js';

/** Short ways to write a register map; everything is uint16 unless it says otherwise. */
type More = Partial<Point>;

export const input = (name: string, address: number, more: More = {}): Point => ({
  name,
  table: 'input',
  address,
  type: 'uint16',
  access: 'r',
  ...more,
});

export const holding = (name: string, address: number, more: More = {}): Point => ({
  name,
  table: 'holding',
  address,
  type: 'uint16',
  access: 'rw',
  ...more,
});

export const coil = (name: string, address: number): Point => ({
  name,
  table: 'coil',
  address,
  type: 'bool',
  access: 'rw',
});

export const discrete = (name: string, address: number): Point => ({
  name,
  table: 'discrete',
  address,
  type: 'bool',
  access: 'r',
});

export const labelsOf = (numbers: Readonly<Record<string, number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(numbers).map(([label, value]) => [String(value), label]));

export const DECIDEGREES: More = { type: 'int16', scale: 0.1, unit: '°C' };
export const PERMILLE: More = { scale: 0.1, unit: '%' };
export const PASCALS: More = { unit: 'Pa' };
export const CUBIC_METRES_PER_HOUR: More = { unit: 'm³/h' };

/** Faults of requests that every kind of device can show. */
export const LINK_FAULTS = ['silent_write', 'delay', 'exception', 'half_open'] as const;
