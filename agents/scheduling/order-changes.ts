import { invalidParams } from '../../shared/errors.js';
import { confirmed, failed, type Verification } from '../../shared/outcome.js';
import { TRANSITIONS, type WorkOrder, type WorkOrderState } from './work-order.js';

/** @throws HermesError `invalid_params` that names the field, for a state that cannot follow. */
export function checkTransition(order: WorkOrder, to: WorkOrderState): void {
  const { state: from, work_order_id } = order;
  if (to === from || TRANSITIONS[from].includes(to)) return;
  const allowed = TRANSITIONS[from].join(', ') || 'nothing: it is final';
  throw invalidParams(`${work_order_id} is ${from} and cannot become ${to}`, [
    { pointer: '/params/state', problem: `after ${from} may come ${allowed}` },
  ]);
}

/** @throws HermesError `invalid_params` that names the field: nobody can be done by an hour that is over. */
export function checkDue(due: string | undefined, now: number): void {
  if (due === undefined || Date.parse(due) > now) return;
  throw invalidParams(`due ${due} is over`, [{ pointer: '/params/due', problem: 'lies in the past' }]);
}

/**
 * What became of a write to an order. It is written by the entry that ends its operation and by nothing else: with an
 * answer it is about to be, and where a crash has left none there was no such entry.
 */
export async function written(
  _ctx: unknown,
  _input: unknown,
  order: { readonly work_order_id: string } | undefined,
): Promise<Verification> {
  return order ? confirmed({ work_order_id: order.work_order_id }) : failed({ work_order: 'was not written' });
}
