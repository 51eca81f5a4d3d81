import { z } from 'zod';
import { HermesError } from '../../../shared/errors.js';
import { defineTool, scopes, type Tool } from '../../runtime/index.js';
import { ORDERS, orderSnapshot, readOrders, rosterOf, TURN } from '../order-book.js';
import { checkDue, written } from '../order-changes.js';
import { checkPlace, deviceOf } from '../places.js';
import { plan, ranked } from '../planning.js';
import { neededSkills } from '../rules/needed-skills.js';
import { assetOf, findings, instant, PRIORITIES, skills, workOrder, workOrderIdOf } from '../work-order.js';

const id = z.string().min(1).max(64);

const input = z
  .strictObject({
    device_id: id.optional().describe('the device to be worked on, for example AHU-3'),
    zone: id.optional().describe('or the zone, for example F3-A'),
    fault: z.string().min(1).max(200).optional().describe('what is wrong: a fault code, or words of a person'),
    findings: findings.default([]).describe('what other agents found, most important first'),
    priority: z.enum(PRIORITIES).optional().describe('unsaid: normal, or high for a severe finding'),
    skills: skills.optional(),
    due: instant.optional(),
  })
  .superRefine(({ device_id, zone }, check) => {
    if (device_id !== undefined || zone !== undefined) return;
    check.addIssue({ code: 'custom', path: ['device_id'], message: 'missing: give device_id or zone' });
  });

/**
 * Books a person and an hour for a piece of work. The order stands in the agent's memory, under an id that comes from
 * the request: a repeat is answered with the same order. Nothing outside the record changes.
 */
export function createWorkOrder(): Tool {
  return defineTool({
    name: 'create_work_order',
    version: '1.0.0',
    description: 'a work order for a device or a zone, given to somebody with the skills and the time',
    input,
    output: workOrder,
    side_effects: [ORDERS],
    effect_class: 'non_idempotent',
    risk: 'low',
    turn: TURN,
    timeout_ms: 5_000,
    scope: (_input, _site, requestId) => scopes.workOrder(workOrderIdOf(requestId)),
    async preflight(ctx, { device_id, zone, due }) {
      checkPlace(ctx.site, device_id, zone);
      checkDue(due, ctx.clock.now());
    },
    async execute(ctx, { fault, ...asked }) {
      const work_order_id = workOrderIdOf(ctx.requestId);
      const orders = await readOrders(ctx);
      if (orders.some((order) => order.work_order_id === work_order_id)) throw taken(work_order_id);
      const { device_id = deviceOf(ctx.site, asked.findings) } = asked;
      const zone = asked.zone ?? ctx.site.devices.find((device) => device.id === device_id)?.zone;
      const needed = neededSkills({ ...asked, device_id, zone }, ctx.site);
      const place = { device_id: device_id ?? null, zone: zone ?? null };
      const priority = ranked(asked.priority, asked.findings);
      const due = asked.due ?? null;
      const roster = rosterOf(ctx, orders);
      const wanted = { needed, findings: asked.findings, priority, due, asset: assetOf(place) };
      const at = roster.zone.iso(ctx.clock.now());
      return {
        work_order_id,
        state: 'open' as const,
        priority,
        ...place,
        fault: fault ?? asked.findings[0]?.fault ?? null,
        findings: asked.findings,
        skills: [...needed.skills],
        ...plan(wanted, roster, ctx.clock.now()),
        due,
        note: null,
        created_at: at,
        created_by: ctx.principal.id,
        updated_at: at,
      };
    },
    verify: written,
    test_cases: [
      {
        name: 'an order for a device',
        input: { device_id: 'PLC-003', fault: 'it leaks' },
        expect: { outcome: 'ok', output: { device_id: 'PLC-003', state: 'open' }, effects: [] },
      },
    ],
    rollback: { none: 'an order stands only in the entry that ends its operation: one that failed does not exist' },
    snapshot: (_input, order) => orderSnapshot(order),
  });
}

/** Two requests whose 40 bits are the same: once in a trillion. */
const taken = (work_order_id: string): HermesError =>
  new HermesError('version_conflict', `${work_order_id} is the order of another request`, {
    work_order_id,
    suggestion: 'ask again with a request id of its own',
  });
