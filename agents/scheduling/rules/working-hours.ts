import type { Calendar, Person } from '../../../shared/site.js';
import { nextDay, weekday, type ZoneTime } from './zone-time.js';

/** From `start`, included, to `end`, excluded; Unix milliseconds. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** More shifts than this in one look ahead are a defect of the caller. */
const MAX_DAYS = 400;

/**
 * The shifts of a calendar that touch [from, until), whole, in order. One that ends before it begins ends on the next
 * day; it belongs to the day on which it begins.
 */
export function shiftsOf(calendar: Calendar, zone: ZoneTime, { start: from, end: until }: Interval): Interval[] {
  const begins = minutesOf(calendar.from);
  const ends = minutesOf(calendar.to);
  const shifts: Interval[] = [];
  // A night shift of the day before may still be running.
  let date = nextDay(zone.dateAt(from), -1);
  for (let day = 0; day < MAX_DAYS; day++, date = nextDay(date)) {
    const start = zone.instantOf(date, begins);
    if (start >= until) break;
    if (!calendar.days.includes(weekday(date))) continue;
    const end = zone.instantOf(ends > begins ? date : nextDay(date), ends);
    if (end > from) shifts.push({ start, end });
  }
  return shifts;
}

/** When a person is there: the shifts of the calendar, or all the time without one. */
export function hoursOf(
  { calendar }: Pick<Person, 'calendar'>,
  calendars: Readonly<Record<string, Calendar>>,
  zone: ZoneTime,
  span: Interval,
): Interval[] {
  const known = calendar === undefined ? undefined : calendars[calendar];
  return known ? shiftsOf(known, zone, span) : [span];
}

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
};
