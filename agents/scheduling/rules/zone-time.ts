/** Wall time of one time zone. Instants are Unix milliseconds; a day is a date of the calendar, without a zone. */
export interface ZoneTime {
  /** The date at an instant, in this zone. */
  dateAt(instant: number): LocalDate;
  /**
   * The instant of a wall time. One that daylight saving leaves out is taken after the gap, as far as it would have
   * been; one that comes twice is the first of them.
   */
  instantOf(date: LocalDate, minutes: number): number;
  /** `2026-01-05T16:00:00+08:00` */
  iso(instant: number): string;
}

export interface LocalDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** @throws RangeError for a zone that the platform does not know. */
export function zoneTime(timeZone: string): ZoneTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  /** The wall time at an instant, as if it were UTC. */
  const wallAt = (instant: number): number => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  };
  const offsetAt = (instant: number): number => wallAt(instant) - Math.floor(instant / 1_000) * 1_000;

  return {
    dateAt(instant) {
      const wall = new Date(wallAt(instant));
      return { year: wall.getUTCFullYear(), month: wall.getUTCMonth() + 1, day: wall.getUTCDate() };
    },
    instantOf({ year, month, day }, minutes) {
      const wall = Date.UTC(year, month - 1, day, 0, minutes);
      const before = offsetAt(wall - DAY);
      const after = offsetAt(wall + DAY);
      const right = [before, after].filter((offset) => offsetAt(wall - offset) === offset);
      // The larger offset is the earlier instant; in a gap none is right, and the one before it leads behind it.
      return wall - (right.length > 0 ? Math.max(...right) : before);
    },
    iso(instant) {
      const offset = offsetAt(instant);
      const wall = new Date(instant + offset).toISOString().slice(0, 19);
      const minutes = Math.abs(offset) / MINUTE;
      const two = (n: number): string => String(Math.floor(n)).padStart(2, '0');
      return `${wall}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
    },
  };
}

export const nextDay = ({ year, month, day }: LocalDate, days = 1): LocalDate => {
  const date = new Date(Date.UTC(year, month - 1, day + days));
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
};

/** 1 is Monday, 7 is Sunday (ISO 8601). */
export const weekday = ({ year, month, day }: LocalDate): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7;
