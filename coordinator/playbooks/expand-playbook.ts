import { type IntendedAction, methodOf, type Plan, type PlanStep } from '../../agents/runtime/index.js';
import type { Manifest } from '../../mcp/index.js';
import { HermesError } from '../../shared/errors.js';
import type { Serving, Site } from '../../shared/site.js';
import type { Playbook, PlaybookStep } from './playbook.js';

export interface ExpandSources {
  /** By component name without version. */
  manifest(component: string): Manifest | undefined;
  readonly site: Site;
}

/**
 * Steps and conclusions of one playbook for one action; ids are those of the playbook, numbered where taken.
 * @throws HermesError `unknown_entity` when nobody serves what a step asks for. */
export function expandPlaybook(
  playbook: Playbook,
  action: IntendedAction,
  taken: ReadonlySet<string>,
  sources: ExpandSources,
): Plan {
  const ids = new Map(playbook.steps.map(({ id }) => [id, freeId(id, taken)]));
  const own = (id: string): string => ids.get(id) ?? id;
  const cel = (source: string): string => renamed(source, ids);
  const steps = playbook.steps.map((step): PlanStep => {
    const name = agentOf(step, action.params, sources);
    const manifest = sources.manifest(name);
    const method = methodOf(manifest, step.method);
    const when = [action.when, step.when && cel(step.when)].filter((one) => one !== undefined);
    return {
      id: own(step.id),
      callee: manifest?.component ?? `${name}_v0.0`,
      method: step.method,
      params: filled(step.params, action.params),
      bind: Object.fromEntries(Object.entries(step.bind).map(([pointer, source]) => [pointer, cel(source)])),
      ...(when.length > 0 ? { when: when.map((one) => (when.length > 1 ? `(${one})` : one)).join(' && ') } : {}),
      depends_on: [...action.depends_on, ...step.depends_on.map(own)],
      on_failure: step.on_failure,
      ...(step.deadline_share === undefined ? {} : { deadline_share: step.deadline_share }),
      // Undeclared is irreversible and high: so is what nobody has announced.
      risk: method?.risk ?? 'high',
      effect_class: method?.effect_class ?? 'irreversible',
      timeout_ms: method?.timeout_ms ?? UNKNOWN_TIMEOUT_MS,
    };
  });
  const conclusions = playbook.conclusions.map((one) => ({ ...one, when: cel(one.when), of: own(one.of) }));
  return { steps, conclusions };
}

const UNKNOWN_TIMEOUT_MS = 5_000;

function freeId(id: string, taken: ReadonlySet<string>): string {
  let free = id;
  for (let n = 2; taken.has(free); n++) free = `${id}_${n}`;
  return free;
}

/** `steps.diagnose` → `steps.diagnose_2`, outside of texts. */
function renamed(source: string, ids: ReadonlyMap<string, string>): string {
  return source.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\bsteps\.([a-z][a-z0-9_]*)/g, (whole, id?: string) =>
    id === undefined ? whole : `steps.${ids.get(id) ?? id}`,
  );
}

/** `"{zone}"` alone is the value itself, within a text its words. */
function filled(params: PlaybookStep['params'], values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const one = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(one);
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, one(inner)]));
    }
    if (typeof value !== 'string') return value;
    const alone = /^\{([a-z_]+)\}$/.exec(value)?.[1];
    if (alone !== undefined && alone in values) return values[alone];
    return value.replace(/\{([a-z_]+)\}/g, (whole, slot: string) => (slot in values ? String(values[slot]) : whole));
  };
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, one(value)]));
}

const SERVED: Readonly<Record<'zone' | 'device' | 'floor', (serving: Serving) => readonly unknown[]>> = {
  zone: ({ zones }) => zones,
  device: ({ devices }) => devices,
  floor: ({ floors }) => floors,
};

/** The agent that is named, or the one that serves the value; of several, one that has the method. */
function agentOf(step: PlaybookStep, params: Readonly<Record<string, unknown>>, sources: ExpandSources): string {
  if (typeof step.agent === 'string') return step.agent;
  const { serves } = step.agent;
  const value = params[serves];
  const serving = sources.site.agents.filter((agent) => SERVED[serves](agent).includes(value));
  const able = serving.filter(({ name }) => methodOf(sources.manifest(name), step.method) !== undefined);
  const silent = serving.filter(({ name }) => sources.manifest(name) === undefined);
  const [found, ...more] = able.length > 0 ? able : silent;
  if (found && more.length === 0) return found.name;
  const problem = found ? 'several agents serve' : 'nobody serves';
  throw new HermesError('unknown_entity', `${problem} ${serves} ${String(value)} with ${step.method}`, {
    [serves]: value,
    candidates: serving.map(({ name }) => name),
    suggestion: 'see `serves` of the agents in the topology',
  });
}
