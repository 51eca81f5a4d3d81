import { describe, expect, test } from 'vitest';
import {
  type Assignment,
  assign,
  type Booking,
  type Job,
  type Roster,
} from '../../../agents/scheduling/rules/assignment.js';
import { neededSkills } from '../../../agents/scheduling/rules/needed-skills.js';
import { zoneTime } from '../../../agents/scheduling/rules/zone-time.js';
import type { Person } from '../../../shared/site.js';
import { powerSite } from '../../support/power-site.js';

const person = (id: string, skills: readonly string[], calendar?: string): Person => ({
  id,
  names: { zh: [], en: [] },
  skills,
  roles: [],
  ...(calendar ? { calendar } : {}),
});

const zone = zoneTime('Asia/Shanghai');
const roster: Roster = {
  people: [
    person('li', ['hvac', 'refrigerant'], 'day'),
    person('liu', ['hvac', 'electrical'], 'night'),
    person('wang', ['power', 'electrical'], 'day'),
    person('zhang', ['plc', 'electrical'], 'day'),
    person('chen', [], 'day'),
  ],
  calendars: {
    day: { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' },
    night: { days: [1, 2, 3, 4, 5, 6, 7], from: '18:00', to: '08:00' },
  },
  zone,
  bookings: [],
};
/** Monday the fifth of January 2026, in Shanghai. */
const at = (time: string, day = '05'): number => Date.parse(`2026-01-${day}T${time}:00+08:00`);
const job = (skills: readonly string[], more: Partial<Job> = {}): Job => ({
  skills,
  minutes: 60,
  at_once: false,
  ...more,
});
const booking = (person: string, from: number, minutes: number, id = `WO-${person}`): Booking => ({
  work_order_id: id,
  person,
  start: from,
  end: from + minutes * 60_000,
});
const given = (...bookings: Booking[]): Roster => ({ ...roster, bookings });
const told = (found: ReturnType<typeof assign>): string =>
  'none' in found ? found.none : `${found.person} ${zone.iso(found.start).slice(8, 16)} ${found.because}`;

describe('who and when', () => {
  test.each<[string, Job, Roster, number, string]>([
    ['in hours: the next quarter', job(['refrigerant']), roster, at('10:07'), 'li 05T10:15 only_one'],
    ['before hours: their beginning', job(['refrigerant']), roster, at('06:00'), 'li 05T08:00 only_one'],
    ['no time left today: tomorrow', job(['refrigerant']), roster, at('17:30'), 'li 06T08:00 only_one'],
    ['Friday evening: Monday', job(['refrigerant']), roster, at('17:30', '09'), 'li 12T08:00 only_one'],
    ['by day the day shift', job(['hvac']), roster, at('10:00'), 'li 05T10:00 earliest'],
    ['by night the night shift', job(['hvac']), roster, at('22:00'), 'liu 05T22:00 earliest'],
    ['after midnight still the night shift', job(['hvac']), roster, at('02:00', '06'), 'liu 06T02:00 earliest'],
    ['at the change of shifts', job(['hvac']), roster, at('17:30'), 'liu 05T18:00 earliest'],
    ['all the skills in one person', job(['hvac', 'electrical']), roster, at('10:00'), 'liu 05T18:00 only_one'],
    ['nobody has it', job(['welding']), roster, at('10:00'), 'skill'],
    ['nobody has both', job(['plc', 'hvac']), roster, at('10:00'), 'skill'],
    ['no skill wanted: somebody with a trade', job([]), roster, at('10:00'), 'li 05T10:00 first_by_id'],
  ])('%s', (_name, wanted, people, now, expected) => {
    expect(told(assign(wanted, people, now))).toBe(expected);
  });

  test('the same start: who has less to do, then the id', () => {
    const wanted = job(['electrical']);
    expect(told(assign(wanted, roster, at('10:00')))).toBe('wang 05T10:00 first_by_id');
    const busy = given(booking('wang', at('15:00'), 60));
    expect(told(assign(wanted, busy, at('10:00')))).toBe('zhang 05T10:00 least_work');
  });

  test('a person without a calendar is there at any time', () => {
    const always = { ...roster, people: [person('robot', ['hvac'])] };
    expect(told(assign(job(['hvac']), always, at('03:01', '10')))).toBe('robot 10T03:15 only_one');
  });
});

describe('nobody is booked twice', () => {
  test.each<[string, Booking[], string]>([
    ['behind the one that runs', [booking('li', at('09:30'), 60)], '05T10:30'],
    ['between two, where it fits', [booking('li', at('09:30'), 60), booking('li', at('11:30'), 60)], '05T10:30'],
    [
      'not between two, where it does not',
      [booking('li', at('09:30'), 60), booking('li', at('11:15'), 60)],
      '05T12:15',
    ],
    ['before one that is far off', [booking('li', at('11:00'), 60)], '05T10:00'],
    ['a full day: tomorrow', [booking('li', at('08:00'), 600)], '06T08:00'],
    ['work of others does not matter', [booking('wang', at('08:00'), 600)], '05T10:00'],
  ])('%s', (_name, bookings, start) => {
    const found = assign(job(['refrigerant']), given(...bookings), at('10:00')) as Assignment;
    expect(zone.iso(found.start).slice(8, 16)).toBe(start);
    for (const { person: of, start: from, end } of bookings) {
      expect(of === found.person && found.start < end && from < found.end).toBe(false);
    }
  });

  test('what it waits for is named', () => {
    const found = assign(job(['refrigerant']), given(booking('li', at('09:30'), 60, 'WO-A')), at('10:00'));
    expect(found).toMatchObject({ waits_for: ['WO-A'] });
  });

  test('no time within the horizon', () => {
    const never = { ...roster, calendars: { ...roster.calendars, day: { days: [1], from: '08:00', to: '18:00' } } };
    const busy = ['05', '12', '19'].map((day) => booking('li', at('08:00', day), 600));
    expect(assign(job(['refrigerant']), { ...never, bookings: busy }, at('07:00'))).toEqual({
      none: 'time',
      candidates: ['li'],
    });
  });

  test('forty jobs of one trade: no two of one person overlap', () => {
    let bookings: Booking[] = [];
    for (let n = 0; n < 40; n++) {
      const found = assign(
        job(['hvac'], { minutes: 30 + (n % 5) * 20, at_once: n % 7 === 0 }),
        given(...bookings),
        at('10:07'),
      );
      if ('none' in found) throw new Error('expected somebody');
      bookings = [...bookings, { work_order_id: `WO-${n}`, ...found }];
    }
    for (const a of bookings) {
      for (const b of bookings) {
        if (a !== b && a.person === b.person) expect(a.start < b.end && b.start < a.end).toBe(false);
      }
    }
  });
});

describe('one job per asset', () => {
  const other = (asset?: string): Booking => ({
    ...booking('wang', at('09:30'), 60, 'WO-A'),
    ...(asset ? { asset } : {}),
  });

  test('behind the job of somebody else on the same asset, which is named', () => {
    const found = assign(job(['refrigerant'], { asset: 'AHU-2' }), given(other('AHU-2')), at('10:00')) as Assignment;
    expect(told(found)).toBe('li 05T10:30 only_one');
    expect(found.waits_for).toEqual(['WO-A']);
  });

  test.each([
    ['another asset', 'AHU-3'],
    ['no asset', undefined],
  ])('%s does not matter', (_name, asset) => {
    const wanted = job(['refrigerant'], { asset: 'AHU-2' });
    expect(told(assign(wanted, given(other(asset)), at('10:00')))).toBe('li 05T10:00 only_one');
  });

  test('not even work that presses begins beside another', () => {
    const wanted = job(['refrigerant'], { asset: 'AHU-2', at_once: true });
    expect(told(assign(wanted, given(other('AHU-2')), at('10:07')))).toBe('li 05T10:30 only_one');
  });
});

describe('work that presses', () => {
  test.each<[string, readonly Booking[], string, string]>([
    ['begins at once, to the minute, with somebody on duty', [], '10:07', 'li 05T10:07 on_duty_now'],
    ['even when the shift ends before it does', [], '17:50', 'li 05T17:50 on_duty_now'],
    ['nobody on duty is free: the earliest start', [booking('li', at('09:00'), 180)], '10:07', 'li 05T12:00 earliest'],
  ])('%s', (_name, bookings, now, expected) => {
    const wanted = job(['hvac'], { at_once: true, minutes: 120 });
    expect(told(assign(wanted, given(...bookings), at(now)))).toBe(expected);
  });
});

describe('a job longer than a shift', () => {
  test('begins with one', () => {
    const found = assign(job(['refrigerant'], { minutes: 660 }), roster, at('10:00'));
    expect(told(found)).toBe('li 06T08:00 only_one');
  });
});

describe('which skills are needed', () => {
  const found = [{ fault: 'x' }, { skills: ['power'] }, { skills: ['hvac'] }];
  test.each([
    [{ skills: ['plc'], findings: found, zone: 'F3-A' }, ['plc'], 'request'],
    [{ findings: found, zone: 'F3-A' }, ['power'], 'findings'],
    [{ findings: [], zone: 'F3-A' }, ['hvac'], 'place'],
    [{ findings: [], device_id: 'AHU-3' }, ['hvac'], 'place'],
    [{ findings: [], device_id: 'M-3' }, ['power'], 'place'],
    [{ findings: [], device_id: 'PLC-010', zone: 'F3-A' }, ['plc'], 'place'],
    [{ findings: [], skills: [] }, [], 'none'],
  ])('%j', (need, skills, from) => {
    expect(neededSkills(need, powerSite)).toEqual({ skills, from });
  });
});
