import type { Calendar, Person } from '../../../shared/site.js';
import { PLANNING } from '../config.js';
import { hoursOf, type Interval } from './working-hours.js';
import type { ZoneTime } from './zone-time.js';

/** A job that needs somebody. */
export interface Job {
  /** Whoever does it has all of them; none: anybody with a trade. */
  readonly skills: readonly string[];
  readonly minutes: number;
  /** Begins now with somebody on duty, where there is one, even past the end of the shift. */
  readonly at_once: boolean;
  /** What is worked on: one job at a time. */
  readonly asset?: string;
}

/** A job that somebody has already. */
export interface Booking extends Interval {
  readonly work_order_id: string;
  readonly person: string;
  readonly asset?: string;
  /** Somebody is at it. */
  readonly begun?: boolean;
}

export interface Roster {
  readonly people: readonly Person[];
  readonly calendars: Readonly<Record<string, Calendar>>;
  readonly zone: ZoneTime;
  readonly bookings: readonly Booking[];
}

export type Because = 'only_one' | 'on_duty_now' | 'earliest' | 'least_work' | 'first_by_id';

export interface Assignment extends Interval {
  readonly person: string;
  readonly candidates: readonly string[];
  readonly because: Because;
  /** Orders of the same person or on the same asset that the job had to wait for. */
  readonly waits_for: readonly string[];
}

/** Why nobody got it: nobody has the skills, or nobody has the time within the horizon. */
export type Unassigned = { readonly none: 'skill' } | { readonly none: 'time'; readonly candidates: readonly string[] };

/** Everybody who could do it by trade. */
export const candidatesFor = (skills: readonly string[], people: readonly Person[]): Person[] =>
  people.filter((person) => person.skills.length > 0 && skills.every((skill) => person.skills.includes(skill)));

/**
 * Who does a job, and when: within working hours, never over another job of the same person or on the same asset; the
 * earliest start wins, then the least work in hand, then the id. Pure.
 */
export function assign(job: Job, roster: Roster, now: number): Assignment | Unassigned {
  const people = candidatesFor(job.skills, roster.people);
  if (people.length === 0) return { none: 'skill' };
  const candidates = people.map(({ id }) => id).sort();
  const offers = people.map((person) => offerOf(job, person, roster, now));
  const atOnce = job.at_once ? offers.filter(({ now: free }) => free !== undefined) : [];
  const timely = (atOnce.length > 0 ? atOnce : offers).flatMap(({ person, now: free, next }) => {
    const start = atOnce.length > 0 ? free : next;
    return start === undefined ? [] : [{ person, start, work: workOf(roster, person, now) }];
  });
  const [first, second] = timely.sort((a, b) => a.start - b.start || a.work - b.work || (a.person < b.person ? -1 : 1));
  if (!first) return { none: 'time', candidates };
  const { person, start } = first;
  return {
    person,
    start,
    end: start + job.minutes * MINUTE,
    candidates,
    because: because(candidates.length, atOnce.length, first, second),
    waits_for: roster.bookings
      .filter((booking) => isInTheWay(booking, job, person) && booking.end > now && booking.end <= start)
      .map(({ work_order_id }) => work_order_id)
      .sort(),
  };
}

/** One person does one job at a time, and one asset is worked on by one. */
export const isInTheWay = (booking: Booking, { asset }: Pick<Job, 'asset'>, person: string): boolean =>
  booking.person === person || (asset !== undefined && booking.asset === asset);

const MINUTE = 60_000;

interface Offer {
  readonly person: string;
  readonly start: number;
  readonly work: number;
}

function because(candidates: number, atOnce: number, first: Offer, second: Offer | undefined): Because {
  if (candidates === 1) return 'only_one';
  if (atOnce === 1) return 'on_duty_now';
  if (!second || first.start < second.start) return 'earliest';
  return first.work < second.work ? 'least_work' : 'first_by_id';
}

/** When one person could begin: now, if on duty and free for the job; and next, within hours. */
function offerOf(job: Job, person: Person, { calendars, zone, bookings }: Roster, now: number) {
  const span = { start: now, end: now + PLANNING.horizon_ms };
  const hours = hoursOf(person, calendars, zone, span);
  const taken = bookings.filter((booking) => isInTheWay(booking, job, person.id)).sort((a, b) => a.start - b.start);
  const length = job.minutes * MINUTE;
  const onDuty = hours.some(({ start, end }) => start <= now && now < end);
  const free = !taken.some((booking) => overlap(booking, { start: now, end: now + length }));
  const step = job.at_once ? 1 : PLANNING.begins_on_ms;
  return {
    person: person.id,
    now: onDuty && free ? now : undefined,
    next: firstGap(hours, taken, length, now, step),
  };
}

/** The first start at which the job fits between others and into a shift; one longer than a shift begins with it. */
function firstGap(
  hours: readonly Interval[],
  taken: readonly Interval[],
  length: number,
  now: number,
  step: number,
): number | undefined {
  for (const shift of hours) {
    let start = Math.max(shift.start, Math.ceil(now / step) * step);
    for (const busy of taken) {
      if (overlap(busy, { start, end: start + length })) start = Math.ceil(busy.end / step) * step;
    }
    const fits = start + length <= shift.end;
    const tooLong = shift.end - shift.start < length && start === shift.start;
    if (fits || tooLong) return start;
  }
  return undefined;
}

export const overlap = (a: Interval, b: Interval): boolean => a.start < b.end && b.start < a.end;

/** Time that a person has yet to work, ms. */
const workOf = ({ bookings }: Roster, person: string, now: number): number =>
  bookings
    .filter((booking) => booking.person === person)
    .reduce((sum, { start, end }) => sum + Math.max(0, end - Math.max(start, now)), 0);
