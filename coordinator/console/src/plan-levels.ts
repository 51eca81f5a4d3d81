import type { Goal, Step } from './contract.js';

/** Steps by depth in the plan's graph, in plan order: steps of one level do not wait for each other. */
export function planLevels(steps: readonly Step[]): readonly (readonly Step[])[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const depths = new Map<string, number>();
  const depthOf = (step: Step, seen: ReadonlySet<string>): number => {
    const known = depths.get(step.id);
    if (known !== undefined) return known;
    const before = (step.depends_on ?? []).flatMap((id) => {
      const found = byId.get(id);
      return found && !seen.has(id) ? [depthOf(found, new Set([...seen, step.id])) + 1] : [];
    });
    const depth = Math.max(0, ...before);
    depths.set(step.id, depth);
    return depth;
  };
  const levels: Step[][] = [];
  for (const step of steps) {
    const depth = depthOf(step, new Set([step.id]));
    for (let index = levels.length; index <= depth; index++) levels.push([]);
    levels[depth]?.push(step);
  }
  return levels.filter((level) => level.length > 0);
}

const DEVICE_KEYS = ['device_id', 'camera_id', 'meter_id', 'breaker_id', 'target_devices'] as const;

/** Devices named by a goal's steps, each once. Ids that a scope would spell otherwise are left out. */
export function devicesTouched(goal: Goal): readonly string[] {
  const named = (goal.plan?.steps ?? []).flatMap((step) =>
    DEVICE_KEYS.flatMap((key) => {
      const value = step.params?.[key];
      return Array.isArray(value) ? value : [value];
    }),
  );
  const ids = named.filter((id): id is string => typeof id === 'string' && /^[A-Za-z0-9-]+$/.test(id));
  return [...new Set(ids)];
}
