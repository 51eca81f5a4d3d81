import { HermesError } from '../../shared/errors.js';
import { PLANNING } from './config.js';
import { type Booking, isInTheWay, overlap, type Roster } from './rules/assignment.js';
import { assetOf, isClosed, isLate, type WorkOrder } from './work-order.js';

const MINUTE = 60_000;
const SLOT = PLANNING.begins_on_ms;

/**
 * An order that begins now: its time runs from now on, whatever was planned, whether in hours or not. One that is not
 * begun and would be run into by less than a planning slot shortens it to its own start: who begins a few minutes late
 * is not stopped by what is planned right behind. Anything else in the way refuses it. Pure.
 *
 * @throws HermesError `invalid_params` that names the order in the way, and since when
 */
export function beginning(order: WorkOrder, roster: Roster, now: number, before: WorkOrder): WorkOrder {
  const asset = assetOf(order);
  const job = asset === undefined ? {} : { asset };
  const end = now + order.why.minutes * MINUTE;
  const inTheWay = roster.bookings
    .filter((booking) => isInTheWay(booking, job, order.assigned_to) && overlap(booking, { start: now, end }))
    .sort((a, b) => a.start - b.start);
  const refusing = inTheWay.find(({ begun, start }) => begun || end - start >= SLOT);
  const given = order.assigned_to !== before.assigned_to;
  const { iso } = roster.zone;
  if (refusing) throw refused(order, refusing, iso(refusing.start), given && order.state === before.state);
  const begun = { ...order, start: iso(now), end: iso(inTheWay[0]?.start ?? end) };
  const chosen = given ? { chosen_because: 'named' as const } : {};
  return { ...begun, why: { ...order.why, ...chosen, waits_for: [], late: isLate(begun) } };
}

/** Minutes that an order has yet to take: of work that is laid down or handed over what is left, one slot at least. */
export function minutesLeft(before: WorkOrder, after: WorkOrder, now: number): number {
  const goesOn = after.state === before.state && after.assigned_to === before.assigned_to;
  if (before.state !== 'in_progress' || goesOn || isClosed(after.state)) return before.why.minutes;
  return Math.ceil(Math.max(SLOT, Date.parse(before.end) - now) / MINUTE);
}

function refused(order: WorkOrder, other: Booking, since: string, byPerson: boolean): HermesError {
  const { work_order_id: id, person, begun, asset } = other;
  const what = `${id} of ${person}${asset === undefined ? '' : ` on ${asset}`}`;
  const how = begun ? `is in progress since ${since}` : `is planned from ${since}`;
  return new HermesError('invalid_params', `${order.work_order_id} cannot begin: ${what} ${how}`, {
    work_order_id: id,
    since,
    fields: [{ pointer: byPerson ? '/params/assigned_to' : '/params/state', problem: `${what} ${how}` }],
    suggestion: `complete ${id}, put it on hold or give it to somebody else first`,
  });
}
