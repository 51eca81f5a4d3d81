import { describe, expect, test } from 'vitest';
import { shiftsOf } from '../../../agents/scheduling/rules/working-hours.js';
import { weekday, zoneTime } from '../../../agents/scheduling/rules/zone-time.js';

const at = (iso: string): number => Date.parse(iso);
const span = (from: string, to: string) => ({ start: at(from), end: at(to) });

describe('wall time of a zone', () => {
  test.each([
    ['Asia/Shanghai', '2026-01-05T08:00:00Z', '2026-01-05T16:00:00+08:00'],
    ['Asia/Kolkata', '2026-01-05T08:00:00Z', '2026-01-05T13:30:00+05:30'],
    ['America/New_York', '2026-01-05T03:00:00Z', '2026-01-04T22:00:00-05:00'],
    ['America/St_Johns', '2026-07-05T03:00:00Z', '2026-07-05T00:30:00-02:30'],
    ['UTC', '2026-01-05T08:00:00Z', '2026-01-05T08:00:00+00:00'],
  ])('%s: %s is %s', (zone, instant, local) => {
    expect(zoneTime(zone).iso(at(instant))).toBe(local);
    expect(at(local)).toBe(at(instant));
  });

  test.each([
    ['Europe/Berlin', { year: 2026, month: 1, day: 5 }, 8 * 60, '2026-01-05T08:00:00+01:00'],
    // The hour that daylight saving leaves out is taken behind the gap.
    ['Europe/Berlin', { year: 2026, month: 3, day: 29 }, 150, '2026-03-29T03:30:00+02:00'],
    ['Europe/Berlin', { year: 2026, month: 3, day: 29 }, 180, '2026-03-29T03:00:00+02:00'],
    // The hour that comes twice is the first of the two.
    ['Europe/Berlin', { year: 2026, month: 10, day: 25 }, 150, '2026-10-25T02:30:00+02:00'],
    ['Europe/Berlin', { year: 2026, month: 10, day: 25 }, 180, '2026-10-25T03:00:00+01:00'],
    ['Asia/Shanghai', { year: 2026, month: 1, day: 5 }, 0, '2026-01-05T00:00:00+08:00'],
    ['America/New_York', { year: 2026, month: 11, day: 1 }, 90, '2026-11-01T01:30:00-04:00'],
  ])('%s, %j + %d min is %s', (zone, date, minutes, expected) => {
    expect(zoneTime(zone).instantOf(date, minutes)).toBe(at(expected));
  });

  test('weeks begin on Monday', () => {
    expect(weekday({ year: 2026, month: 1, day: 5 })).toBe(1);
    expect(weekday({ year: 2026, month: 1, day: 11 })).toBe(7);
  });
});

describe('shifts', () => {
  const day = { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' };
  const night = { days: [1, 2, 3, 4, 5, 6, 7], from: '18:00', to: '08:00' };
  const shanghai = zoneTime('Asia/Shanghai');
  const told = (zone: ReturnType<typeof zoneTime>, list: readonly { start: number; end: number }[]) =>
    list.map(({ start, end }) => `${zone.iso(start)} ${zone.iso(end)}`);

  test('are in the time of the site, not of the machine; no work at weekends', () => {
    const shifts = shiftsOf(day, shanghai, span('2026-01-09T08:00:00+08:00', '2026-01-13T00:00:00+08:00'));
    expect(told(shanghai, shifts)).toEqual([
      '2026-01-09T08:00:00+08:00 2026-01-09T18:00:00+08:00',
      '2026-01-12T08:00:00+08:00 2026-01-12T18:00:00+08:00',
    ]);
  });

  test('a night shift that is still running belongs to the day on which it began', () => {
    const shifts = shiftsOf(night, shanghai, span('2026-01-05T02:00:00+08:00', '2026-01-05T23:00:00+08:00'));
    expect(told(shanghai, shifts)).toEqual([
      '2026-01-04T18:00:00+08:00 2026-01-05T08:00:00+08:00',
      '2026-01-05T18:00:00+08:00 2026-01-06T08:00:00+08:00',
    ]);
  });

  test('a night shift of weekdays ends on Saturday morning and does not begin on Sunday', () => {
    const weekdays = { ...night, days: [1, 2, 3, 4, 5] };
    const shifts = shiftsOf(weekdays, shanghai, span('2026-01-10T00:00:00+08:00', '2026-01-12T12:00:00+08:00'));
    expect(told(shanghai, shifts)).toEqual(['2026-01-09T18:00:00+08:00 2026-01-10T08:00:00+08:00']);
  });

  test('in the night of the change of clocks a shift keeps its wall times, and is an hour shorter or longer', () => {
    const berlin = zoneTime('Europe/Berlin');
    const lengths = (from: string, to: string) =>
      shiftsOf(night, berlin, span(from, to)).map(({ start, end }) => (end - start) / 3_600_000);
    expect(lengths('2026-03-28T12:00:00Z', '2026-03-28T20:00:00Z')).toEqual([13]);
    expect(lengths('2026-10-24T12:00:00Z', '2026-10-24T20:00:00Z')).toEqual([15]);
    expect(lengths('2026-05-01T12:00:00Z', '2026-05-01T20:00:00Z')).toEqual([14]);
  });
});
