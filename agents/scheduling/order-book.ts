import { editDistance } from '../../shared/edit-distance.js';
import { HermesError } from '../../shared/errors.js';
import { storable } from '../../shared/model-text.js';
import { type SnapshotDraft, scopes, type ToolContext } from '../runtime/index.js';
import { PLANNING } from './config.js';
import type { Booking, Roster } from './rules/assignment.js';
import { zoneTime } from './rules/zone-time.js';
import { assetOf, isClosed, takesTime, type WorkOrder, workOrder } from './work-order.js';

/** Scopes of work orders in the agent's own memory; declared by each tool that reads them. */
export const ORDERS = 'memory.read:work_order_*';
/** One at a time in the whole agent: an order is planned on what the one before has booked. */
export const TURN = 'work-orders';

type Doors = Pick<ToolContext, 'memory' | 'logger'>;

/** Every order that memory still has, by id. One that is not readable as an order is left out, and logged. */
export async function readOrders({ memory, logger }: Doors): Promise<WorkOrder[]> {
  const found = await memory.list('work_order');
  return found.flatMap(({ data, scope }) => {
    const parsed = workOrder.safeParse(data);
    if (!parsed.success) logger.warn({ scope, detail: parsed.error.message }, 'a work order cannot be read');
    return parsed.success ? [parsed.data] : [];
  });
}

/** @throws HermesError `not_found`, with the nearest ids, unclosed ones first. */
export async function findOrder(ctx: Doors, id: string): Promise<WorkOrder> {
  const snapshot = await ctx.memory.read(scopes.workOrder(id));
  const parsed = workOrder.safeParse(snapshot?.data);
  if (parsed.success) return parsed.data;
  const known = (await readOrders(ctx)).toSorted(
    (a, b) =>
      Number(isClosed(a.state)) - Number(isClosed(b.state)) ||
      editDistance(a.work_order_id, id) - editDistance(b.work_order_id, id),
  );
  const candidates = known.slice(0, 3).map(({ work_order_id }) => work_order_id);
  throw new HermesError('not_found', `no work order ${id}`, {
    work_order_id: id,
    candidates,
    fields: [{ pointer: '/params/work_order_id', problem: `no such work order; near are ${candidates.join(', ')}` }],
    suggestion: candidates.length > 0 ? `name one of ${candidates.join(', ')}` : 'list the work orders',
  });
}

/**
 * People and what they have to do. Work in progress takes its person's and its asset's time until it is said to be
 * done: one that is overdue takes another planning slot from now on. `except` is the order that is planned anew.
 */
export function rosterOf(
  { site, clock }: Pick<ToolContext, 'site' | 'clock'>,
  orders: readonly WorkOrder[],
  except?: string,
): Roster {
  const now = clock.now();
  const bookings = orders
    .filter(({ state, work_order_id }) => takesTime(state) && work_order_id !== except)
    .map((order): Booking => {
      const { work_order_id, assigned_to, start, end, state } = order;
      const planned = Date.parse(end);
      const asset = assetOf(order);
      return {
        work_order_id,
        person: assigned_to,
        ...(asset === undefined ? {} : { asset }),
        start: Date.parse(start),
        end: state === 'in_progress' && planned <= now ? now + PLANNING.begins_on_ms : planned,
        begun: state === 'in_progress',
      };
    });
  return { people: site.people, calendars: site.calendars, zone: zoneTime(site.timezone), bookings };
}

/** A version of an order. An open one does not expire: nobody may lose work because it was not done. */
export const orderSnapshot = (order: WorkOrder): SnapshotDraft => ({
  data: { ...order, findings: storable(order.findings) },
  open: !isClosed(order.state),
});
