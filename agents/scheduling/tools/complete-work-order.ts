import { z } from 'zod';
import { defineTool, scopes, type Tool, type ToolContext } from '../../runtime/index.js';
import { findOrder, ORDERS, orderSnapshot, TURN } from '../order-book.js';
import { checkTransition, written } from '../order-changes.js';
import { zoneTime } from '../rules/zone-time.js';
import { note, type WorkOrder, workOrder, workOrderId } from '../work-order.js';

/** Closes an order as done; its person is free from then on. One that is completed stays as it is. */
export function completeWorkOrder(): Tool {
  return defineTool({
    name: 'complete_work_order',
    version: '1.0.0',
    description: 'closes one work order as done',
    input: z.strictObject({ work_order_id: workOrderId, note: note.optional() }),
    output: workOrder,
    side_effects: [ORDERS],
    effect_class: 'idempotent_write',
    risk: 'low',
    turn: TURN,
    timeout_ms: 5_000,
    scope: ({ work_order_id }) => scopes.workOrder(work_order_id),
    async preflight(ctx, { work_order_id }) {
      await openOrder(ctx, work_order_id);
    },
    async execute(ctx, { work_order_id, note: said }) {
      const order = await openOrder(ctx, work_order_id);
      if (order.state === 'completed' && said === undefined) return order;
      const updated_at = zoneTime(ctx.site.timezone).iso(ctx.clock.now());
      return { ...order, state: 'completed' as const, note: said ?? order.note, updated_at };
    },
    verify: written,
    test_cases: [
      {
        name: 'an order that nobody made',
        input: { work_order_id: 'WO-AAAAAAAA' },
        expect: { outcome: 'not_found', effects: [] },
      },
    ],
    rollback: { none: 'the change stands only in the entry that ends its operation: one that failed did not happen' },
    snapshot: (_input, order) => orderSnapshot(order),
  });
}

/** @throws HermesError `not_found`, or `invalid_params` for one that was cancelled. */
async function openOrder(ctx: ToolContext, id: string): Promise<WorkOrder> {
  const order = await findOrder(ctx, id);
  checkTransition(order, 'completed');
  return order;
}
