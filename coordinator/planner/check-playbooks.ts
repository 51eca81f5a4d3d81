import { checkPlan, type IntendedAction } from '../../agents/runtime/index.js';
import { componentName, type Discovery } from '../../mcp/index.js';
import { type FieldProblem, HermesError, toHermesError } from '../../shared/errors.js';
import type { Site } from '../../shared/site.js';
import { expandPlaybook, type Playbook, slotsOf } from '../playbooks/index.js';

/**
 * Each playbook as a plan, by the manifests that are known now: one that works for no place of the site cannot run.
 * @throws HermesError `invalid_params` with one field problem a playbook.
 */
export function checkPlaybooks(
  playbooks: readonly Playbook[],
  { discovery, site, self }: { discovery: Discovery; site: Site; self: string },
): void {
  const fields = playbooks.flatMap((playbook): FieldProblem[] => {
    const found = samplesOf(playbook, site).map((params) => judge(playbook, params, { discovery, site, self }));
    const problem = found.find((one) => typeof one === 'string');
    if (problem === undefined || found.includes(RUNS)) return [];
    return [{ pointer: `/playbooks/${playbook.name}`, problem }];
  });
  if (fields.length === 0) return;
  const list = fields.map(({ pointer, problem }) => `${pointer}: ${problem}`).join('\n');
  throw new HermesError('invalid_params', `playbooks that cannot run:\n${list}`, { fields });
}

const RUNS = true;
/** Somebody in it has not announced himself yet: nothing can be said. */
const OPEN = false;

/** Whether it runs with these values, or why not. */
function judge(
  playbook: Playbook,
  params: Readonly<Record<string, unknown>>,
  { discovery, site, self }: { discovery: Discovery; site: Site; self: string },
): boolean | string {
  const action: IntendedAction = {
    id: 's1',
    intent: playbook.name,
    callee: self,
    method: playbook.name,
    effect: 'write',
    params,
    bind: {},
    depends_on: [],
  };
  try {
    const manifest = (component: string) => discovery.manifest(component);
    const plan = expandPlaybook(playbook, action, new Set(), { manifest, site });
    checkPlan(plan, (id) => discovery.manifests().find(({ component }) => component === id));
    return plan.steps.every(({ callee }) => manifest(componentName(callee)) !== undefined) ? RUNS : OPEN;
  } catch (thrown) {
    return toHermesError(thrown).message;
  }
}

/** A value of the site for each slot; every place once. */
function samplesOf(playbook: Playbook, site: Site): Record<string, unknown>[] {
  const values: Readonly<Record<string, readonly unknown[]>> = {
    zone: site.floors.flatMap(({ zones }) => zones.map(({ id }) => id)),
    floor: site.floors.map(({ floor }) => floor),
    device: site.devices.map(({ id }) => id),
    person: site.people.map(({ id }) => id),
  };
  const slots = slotsOf(playbook);
  const rounds = Math.max(1, ...slots.map((slot) => values[slot]?.length ?? 0));
  return Array.from({ length: rounds }, (_, round) =>
    Object.fromEntries(slots.map((slot) => [slot, values[slot]?.[Math.min(round, (values[slot]?.length ?? 1) - 1)]])),
  );
}
