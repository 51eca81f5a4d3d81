import { LIMITS } from '../../../shared/limits.js';
import type { Draft, SlotValue } from './draft.js';
import type { CompiledIntent } from './language/compile-packs.js';
import { isThing, type Thing } from './language/serving.js';

/** One call of a draft: a draft that names several things makes one for each, and each goes to who serves its thing. */
export interface Copy {
  /** Nobody serves all that it names: undefined. */
  readonly callee: string | undefined;
  /** Values of the slots that set it apart. */
  readonly values: Readonly<Record<string, readonly SlotValue[]>>;
}

/** More are no plan; nobody need count them. */
const TOO_MANY = LIMITS.planSteps + 1;

export function copiesOf(rule: CompiledIntent, draft: Draft): readonly Copy[] {
  let combined: Copy['values'][] = [{}];
  const served: string[] = [];
  for (const [name, slot] of Object.entries(rule.intent.slots)) {
    const said = draft.slots[name] ?? [];
    const kind = slot.entity;
    if (said.length === 0 || !isThing(kind) || (slot.list && !slot.served)) continue;
    if (slot.served) served.push(name);
    const values = unique(said);
    const parts = slot.list ? byServer(rule, kind, values) : values.map((value) => [value]);
    combined = combined.flatMap((one) => parts.map((part) => ({ ...one, [name]: part }))).slice(0, TOO_MANY);
  }
  if (served.length > 0) return combined.map((values) => ({ callee: calleeOf(rule, values, served), values }));
  return unnamed(rule).flatMap((callee) => combined.map((values) => ({ callee, values })));
}

/** Nothing served is named: a read that could have named it asks everybody, anything else the first. */
function unnamed({ intent, servers }: CompiledIntent): readonly string[] {
  const everybody = intent.effect === 'read' && Object.values(intent.slots).some((slot) => slot.served);
  return everybody ? servers.components : servers.components.slice(0, 1);
}

function calleeOf(rule: CompiledIntent, values: Copy['values'], served: readonly string[]): string | undefined {
  const things = served.flatMap((name) => values[name] ?? []);
  const able = things.map(({ kind, ids }) =>
    isThing(kind) && ids[0] !== undefined ? rule.servers.of(kind, ids[0]) : rule.servers.components,
  );
  return rule.servers.components.find((component) => able.every((components) => components.includes(component)));
}

function byServer(rule: CompiledIntent, kind: Thing, values: readonly SlotValue[]): readonly (readonly SlotValue[])[] {
  const parts = new Map<string, SlotValue[]>();
  for (const value of values) {
    const server = (value.ids[0] === undefined ? undefined : rule.servers.of(kind, value.ids[0])[0]) ?? '';
    const part = parts.get(server);
    if (part) part.push(value);
    else parts.set(server, [value]);
  }
  return [...parts.values()];
}

export const unique = (values: readonly SlotValue[]): readonly SlotValue[] =>
  values.filter((value, index) => values.findIndex((one) => one.ids[0] === value.ids[0]) === index);
