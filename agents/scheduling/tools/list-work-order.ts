import { z } from 'zod';
import { defineTool, type Tool } from '../../runtime/index.js';
import { findPerson } from '../directory.js';
import { findOrder, ORDERS, readOrders } from '../order-book.js';
import { isClosed, PRIORITIES, WORK_ORDER_STATES, type WorkOrder, workOrder, workOrderId } from '../work-order.js';

/** Orders of one answer. */
const DEFAULT_ROWS = 20;
const MAX_ROWS = 100;
/** Orders that an answer tells in full. */
const TOLD_ROWS = 3;

/** A row is an order without its findings; their codes stay. */
const row = workOrder.omit({ findings: true, why: true }).extend({ faults: z.array(z.string()) });

const output = z.object({
  total: z.number(),
  work_order_ids: z.array(z.string()),
  work_orders: z.array(row),
  /** Orders beyond those that an answer tells in full; null: none. */
  more: z.number().nullable(),
});

/**
 * Orders that memory has: unfinished ones for as long as they are, the others for 90 days. Most pressing first, then by
 * start. `unfinished` is everything that is neither completed nor cancelled.
 */
export function listWorkOrder(): Tool {
  return defineTool({
    name: 'list_work_order',
    version: '1.0.0',
    description: 'one work order by its id, or work orders by state, person, zone or device',
    input: z.strictObject({
      work_order_id: workOrderId.optional().describe('this order, in whatever state'),
      state: z.enum([...WORK_ORDER_STATES, 'unfinished', 'any']).default('any'),
      assigned_to: z.string().min(1).max(64).optional().describe('id or name of a person'),
      zone: z.string().min(1).max(64).optional(),
      device_id: z.string().min(1).max(64).optional(),
      limit: z.number().int().min(1).max(MAX_ROWS).default(DEFAULT_ROWS),
    }),
    output,
    side_effects: [ORDERS],
    effect_class: 'read',
    risk: 'low',
    timeout_ms: 5_000,
    async execute(ctx, { work_order_id, state, assigned_to, zone, device_id, limit }) {
      const person = assigned_to === undefined ? undefined : findPerson(ctx.site, assigned_to).id;
      const orders = work_order_id === undefined ? await readOrders(ctx) : [await findOrder(ctx, work_order_id)];
      const found = orders
        .filter((order) => isIn(order, state))
        .filter((order) => person === undefined || order.assigned_to === person)
        .filter((order) => zone === undefined || order.zone === zone)
        .filter((order) => device_id === undefined || order.device_id === device_id)
        .sort(byUrgency);
      const rows = found.slice(0, limit).map(({ findings, why: _why, ...order }) => ({
        ...order,
        faults: findings.flatMap(({ fault }) => fault ?? []),
      }));
      const work_order_ids = rows.map(({ work_order_id }) => work_order_id);
      const more = found.length - Math.min(rows.length, TOLD_ROWS);
      return { total: found.length, work_order_ids, work_orders: rows, more: more > 0 ? more : null };
    },
    test_cases: [
      {
        name: 'orders of a device',
        input: { device_id: 'PLC-003' },
        before: [{ method: 'create_work_order', input: { device_id: 'PLC-003', fault: 'it leaks' } }],
        expect: { outcome: 'ok', output: { total: 1, work_orders: [{ device_id: 'PLC-003' }] }, effects: [] },
      },
    ],
    rollback: { none: 'a read changes nothing' },
  });
}

function isIn({ state }: WorkOrder, wanted: WorkOrder['state'] | 'unfinished' | 'any'): boolean {
  if (wanted === 'any') return true;
  return wanted === 'unfinished' ? !isClosed(state) : state === wanted;
}

function byUrgency(a: WorkOrder, b: WorkOrder): number {
  const closed = Number(isClosed(a.state)) - Number(isClosed(b.state));
  const rank = PRIORITIES.indexOf(b.priority) - PRIORITIES.indexOf(a.priority);
  const start = Date.parse(a.start) - Date.parse(b.start);
  return closed || rank || start || (a.work_order_id < b.work_order_id ? -1 : 1);
}
