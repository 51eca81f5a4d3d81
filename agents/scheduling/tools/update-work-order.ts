import { z } from 'zod';
import { invalidParams } from '../../../shared/errors.js';
import { defineTool, scopes, type Tool, type ToolContext } from '../../runtime/index.js';
import { beginning, minutesLeft } from '../beginning.js';
import { findPerson } from '../directory.js';
import { findOrder, ORDERS, orderSnapshot, readOrders, rosterOf, TURN } from '../order-book.js';
import { checkDue, checkTransition, written } from '../order-changes.js';
import { plan } from '../planning.js';
import { zoneTime } from '../rules/zone-time.js';
import {
  assetOf,
  instant,
  isClosed,
  isLate,
  note,
  PRIORITIES,
  takesTime,
  type WorkOrder,
  workOrder,
  workOrderId,
} from '../work-order.js';

const input = z
  .strictObject({
    work_order_id: workOrderId,
    state: z.enum(['open', 'in_progress', 'on_hold', 'cancelled']).optional(),
    assigned_to: z.string().min(1).max(64).optional().describe('id or name of a person'),
    priority: z.enum(PRIORITIES).optional(),
    note: note.optional(),
    due: instant.optional(),
  })
  .superRefine(({ work_order_id: _id, ...changes }, check) => {
    if (Object.values(changes).some((value) => value !== undefined)) return;
    const message = 'missing: give state, assigned_to, priority, note or due';
    check.addIssue({ code: 'custom', path: ['state'], message });
  });
type Changes = Omit<z.output<typeof input>, 'work_order_id'>;

const output = workOrder.extend({ changed: z.array(z.string()) });

/**
 * Changes an order. Another person, another priority, or an order that is taken up again is planned anew; work that
 * begins takes its time from now on: nobody is booked twice. Refused: a closed order, a state that cannot follow, a
 * person without the skills, a due time that is over, a beginning while another order of the person or asset runs.
 */
export function updateWorkOrder(): Tool {
  return defineTool({
    name: 'update_work_order',
    version: '1.0.0',
    description: 'state, person, priority, note or due time of one work order',
    input,
    output,
    side_effects: [ORDERS],
    effect_class: 'idempotent_write',
    risk: 'low',
    turn: TURN,
    timeout_ms: 5_000,
    scope: ({ work_order_id }) => scopes.workOrder(work_order_id),
    async preflight(ctx, { work_order_id, ...changes }) {
      await checkedOrder(ctx, work_order_id, changes);
    },
    async execute(ctx, { work_order_id, ...changes }) {
      const order = await checkedOrder(ctx, work_order_id, changes);
      return changed(order, await applied(ctx, order, changes));
    },
    verify: written,
    test_cases: [
      {
        name: 'an order that nobody made',
        input: { work_order_id: 'WO-AAAAAAAA', state: 'on_hold' },
        expect: { outcome: 'not_found', effects: [] },
      },
    ],
    rollback: { none: 'the change stands only in the entry that ends its operation: one that failed did not happen' },
    snapshot: (_input, { changed: _changed, ...order }) => orderSnapshot(order),
  });
}

async function checkedOrder(ctx: ToolContext, id: string, changes: Changes): Promise<WorkOrder> {
  const order = await findOrder(ctx, id);
  checkTransition(order, changes.state ?? order.state);
  checkDue(changes.due, ctx.clock.now());
  const fields = (['assigned_to', 'priority', 'due'] as const).filter((field) => changes[field] !== undefined);
  if (isClosed(order.state) && fields.length > 0) {
    throw invalidParams(
      `${id} is ${order.state}; it takes no other change than a note`,
      fields.map((field) => ({ pointer: `/params/${field}`, problem: `the order is ${order.state}` })),
    );
  }
  if (changes.assigned_to !== undefined) checkSkills(ctx, order, changes.assigned_to);
  return order;
}

/** @throws HermesError `invalid_params`: nobody is sent to work that he may not do. */
function checkSkills({ site }: ToolContext, order: WorkOrder, name: string): void {
  const person = findPerson(site, name);
  const missing = order.skills.filter((skill) => !person.skills.includes(skill));
  if (missing.length === 0) return;
  throw invalidParams(`${person.id} has not the skills of ${order.work_order_id}`, [
    { pointer: '/params/assigned_to', problem: `${person.id} lacks ${missing.join(', ')}` },
  ]);
}

async function applied(ctx: ToolContext, order: WorkOrder, changes: Changes): Promise<WorkOrder> {
  const now = ctx.clock.now();
  const zone = zoneTime(ctx.site.timezone);
  const { state = order.state, priority = order.priority, due = order.due, note: said = order.note } = changes;
  const person = changes.assigned_to === undefined ? order.assigned_to : findPerson(ctx.site, changes.assigned_to).id;
  const next = { ...order, state, priority, due, note: said, assigned_to: person, updated_at: zone.iso(now) };
  const minutes = minutesLeft(order, next, now);
  const roster = rosterOf(ctx, await readOrders(ctx), order.work_order_id);
  if (begins(order, next)) return beginning({ ...next, why: { ...order.why, minutes } }, roster, now, order);
  if (!isPlannedAnew(order, next)) return { ...next, why: { ...order.why, minutes, late: isLate(next) } };
  const needed = { skills: order.skills, from: order.why.skills_from };
  // Another rank takes the time of that rank.
  const kept = priority === order.priority ? minutes : undefined;
  const wanted = { needed, findings: order.findings, priority, due, person, asset: assetOf(order), minutes: kept };
  return { ...next, ...plan(wanted, roster, now) };
}

/** Somebody sets about it now: it was not in progress, or another person was at it. */
const begins = (before: WorkOrder, after: WorkOrder): boolean =>
  after.state === 'in_progress' && (before.state !== 'in_progress' || after.assigned_to !== before.assigned_to);

/** Another person, another rank before it has begun, or work that is taken up again. */
function isPlannedAnew(before: WorkOrder, after: WorkOrder): boolean {
  if (after.state !== 'open') return false;
  if (!takesTime(before.state) || after.assigned_to !== before.assigned_to) return true;
  return after.priority !== before.priority;
}

const FIELDS = ['state', 'assigned_to', 'priority', 'note', 'due', 'start', 'end'] as const;

function changed(before: WorkOrder, after: WorkOrder) {
  const fields: string[] = FIELDS.filter((field) => before[field] !== after[field]);
  // What changes nothing is told as it was.
  return { ...(fields.length > 0 ? after : before), changed: fields };
}
