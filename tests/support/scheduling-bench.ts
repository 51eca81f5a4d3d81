import { scopes } from '../../agents/runtime/index.js';
import { defineAgent } from '../../agents/scheduling/index.js';
import type { WorkOrder } from '../../agents/scheduling/work-order.js';
import type { Person, Site } from '../../shared/site.js';
import { agentBench } from './agent-bench.js';
import { powerSite } from './power-site.js';

const person = (id: string, name: string, skills: readonly string[], calendar = 'day'): Person => ({
  id,
  names: { zh: [name], en: [id] },
  skills,
  roles: [],
  calendar,
});

const site: Site = {
  ...powerSite,
  people: [
    person('li', '李工', ['hvac', 'refrigerant']),
    person('liu', '刘工', ['hvac', 'plc'], 'night'),
    person('wang', '王工', ['power']),
  ],
  calendars: {
    day: { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' },
    night: { days: [1, 2, 3, 4, 5, 6, 7], from: '18:00', to: '08:00' },
  },
};

/** Monday, ten minutes to ten in the morning in Shanghai. */
const MONDAY = Date.parse('2026-01-05T09:50:00+08:00');

/** The scheduling agent alone, with three people, on a Monday. */
export async function schedulingBench() {
  const running = await agentBench({ definition: defineAgent(), site, grants: ['memory.read'], at: MONDAY });
  const create = async (params: Record<string, unknown>, requestId?: string) =>
    (await running.call('create_work_order', params, requestId ? { requestId } : {})) as WorkOrder;
  const update = async (work_order_id: string, changes: Record<string, unknown>) =>
    (await running.call('update_work_order', { work_order_id, ...changes })) as WorkOrder & { changed: string[] };
  const list = async (params: Record<string, unknown> = {}) =>
    (await running.call('list_work_order', params)) as { total: number; work_order_ids: string[] };
  const versions = (id: string) => running.clock.run(running.agent().cell.view.snapshots(scopes.workOrder(id)));
  return { ...running, create, update, list, versions };
}
