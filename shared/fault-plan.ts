import { z } from 'zod';
import type { Clock } from './clock.js';
import { invalidParams } from './errors.js';
import type { Random } from './random.js';

/**
 * A FaultPlan: what goes wrong, where and when, as data. The wrappers beside each contract ask it; nothing in the
 * product does.
 *
 * Invariants: the same plan, seed and questions give the same faults; each rule draws from a stream of its own, so that
 * a rule more or less does not shift the others; the first rule that applies wins.
 */
const fraction = z.number().min(0).max(1);
const ms = z.number().min(0);
const window = {
  /** Milliseconds since the faults were opened. */
  from_ms: ms.default(0),
  /** Default: for ever. */
  to_ms: ms.default(Number.POSITIVE_INFINITY),
};
const chance = {
  ...window,
  /** Chance of each thing that the rule could hit. */
  probability: fraction.default(1),
  /** Hits at most; default: no limit. */
  limit: z.number().int().min(0).default(Number.MAX_SAFE_INTEGER),
  /** Most that a hit lasts, drawn uniformly from [0, ms). Unused where nothing waits. */
  ms: ms.default(1_000),
};
/** Whose: a component by its name, or one instance of it, `plc_controller#2`. Default: anybody's. */
const whose = z.string().optional();

const busRule = z.strictObject({
  on: z.literal('bus'),
  /** Pattern of subjects. */
  name: z.string().default('>'),
  /** Who publishes. */
  component: whose,
  /** `delay` keeps the order of a subject, `reorder` lets later messages pass; `corrupt` cuts a message short. */
  kind: z.enum(['delay', 'drop', 'duplicate', 'reorder', 'corrupt']),
  ...chance,
});
const logRule = z.strictObject({
  on: z.literal('log'),
  /** Pattern of subjects. */
  name: z.string().default('>'),
  /** Who appends or reads. */
  component: whose,
  kind: z.enum(['delay', 'error']),
  op: z.enum(['append', 'read', 'tail']).default('append'),
  /**
   * Of a failed append: refused; written and not said; not written and nobody knows. Of a late one: `written` lets the
   * record stand at once and the answer wait.
   */
  how: z.enum(['refused', 'written', 'silent']).default('refused'),
  ...chance,
});
const livenessRule = z.strictObject({
  on: z.literal('liveness'),
  /** Component whose renewals are lost (`drop`), or that hears of changes late (`delay`). */
  component: whose,
  kind: z.enum(['drop', 'delay']),
  ...chance,
});
const linkRule = z.strictObject({
  on: z.literal('link'),
  /** The link. */
  name: z.string().default('>'),
  /** Whose connection to it. */
  component: whose,
  /** `error`: the device is busy; `hang`: no answer comes; `cut`: no connection. */
  kind: z.enum(['delay', 'error', 'hang', 'cut']),
  op: z.enum(['read', 'write', 'any']).default('any'),
  /** Of a request that hangs: whether the device got it. */
  how: z.enum(['arrives', 'lost']).default('lost'),
  ...chance,
});
const componentRule = z.strictObject({
  on: z.literal('component'),
  component: z.string(),
  /** `crash`: dead at `from_ms`, started again `ms` later; `skew`: its wall clock is `ms` ahead (below 0: behind). */
  kind: z.enum(['crash', 'skew']),
  ms: z.number(),
  ...window,
});

const planSchema = z.strictObject({
  rules: z.array(z.discriminatedUnion('on', [busRule, logRule, livenessRule, linkRule, componentRule])).default([]),
});

export type FaultPlan = z.infer<typeof planSchema>;
export type FaultPlanInput = z.input<typeof planSchema>;
export type FaultRule = FaultPlan['rules'][number];
export type ChanceRule = Exclude<FaultRule, { on: 'component' }>;
export type ComponentRule = Extract<FaultRule, { on: 'component' }>;
export type FaultKind = FaultRule['kind'];

/** @throws HermesError `invalid_params` naming the fields that are wrong. */
export function parseFaultPlan(input: unknown): FaultPlan {
  const parsed = planSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, problem: message }));
  throw invalidParams('the fault plan is malformed', fields);
}

/** What a fault could hit: one message, one append, one renewal, one request. */
export interface FaultTarget {
  readonly on: ChanceRule['on'];
  /** Subject or link. */
  readonly name?: string;
  readonly component: string;
  readonly op?: 'append' | 'read' | 'tail' | 'write';
  /** Only faults of these kinds; default all. */
  readonly kinds?: readonly FaultKind[];
}

export interface Fault {
  readonly kind: FaultKind;
  /** Drawn uniformly from [0, 1). */
  readonly share: number;
  /** That share of the rule's `ms`. */
  readonly ms: number;
  readonly how?: 'refused' | 'written' | 'silent' | 'arrives' | 'lost';
}

/** Whether a pattern matches a subject or a link's name. */
export type Matches = (pattern: string, name: string) => boolean;

/**
 * The fault that hits a target now, if one does, and the rule it is of. Pure but for the streams it draws from: one
 * number for each rule that applies, one more for the length of a hit.
 * @param hits how often each rule has hit.
 */
export function decide(
  rules: readonly FaultRule[],
  chances: readonly Random[],
  hits: readonly number[],
  now: number,
  target: FaultTarget,
  matches: Matches,
): { readonly rule: number; readonly fault: Fault } | undefined {
  for (const [index, rule] of rules.entries()) {
    const random = chances[index];
    if (!random || rule.on === 'component' || !applies(rule, now, target, matches)) continue;
    if ((hits[index] ?? 0) >= rule.limit || random.float() >= rule.probability) continue;
    const share = random.float();
    const drawn = { kind: rule.kind, share, ms: share * rule.ms };
    return { rule: index, fault: 'how' in rule ? { ...drawn, how: rule.how } : drawn };
  }
  return undefined;
}

function applies(rule: ChanceRule, now: number, target: FaultTarget, matches: Matches): boolean {
  if (rule.on !== target.on || now < rule.from_ms || now >= rule.to_ms) return false;
  if (rule.component !== undefined && !isOf(target.component, rule.component)) return false;
  if (target.kinds && !target.kinds.includes(rule.kind)) return false;
  if ('op' in rule && rule.op !== 'any' && rule.op !== target.op) return false;
  return !('name' in rule) || target.name === undefined || matches(rule.name, target.name);
}

/** `plc_controller#2` is of `plc_controller#2` and of `plc_controller`. */
const isOf = (component: string, named: string): boolean => component === named || component.startsWith(`${named}#`);

/** A plan at work: it counts its hits and knows the time. */
export interface Faults {
  readonly plan: FaultPlan;
  /** How often each rule has hit. */
  readonly hits: readonly number[];
  at(target: FaultTarget): Fault | undefined;
  /** Which component of the plan an instance is; it says so when it joins. */
  introduce(instance: string, component: string): void;
  componentOf(instance: string): string | undefined;
  /** How far ahead a component's wall clock is now, ms. Rules add up. */
  skewOf(component: string): number;
}

export function openFaults(
  deps: { readonly clock: Pick<Clock, 'monotonic'>; readonly random: Random; readonly matches: Matches },
  plan: FaultPlan,
): Faults {
  const { clock, random, matches } = deps;
  const { rules } = plan;
  const chances = rules.map((_rule, index) => random.stream(`fault-${index}`));
  const hits = rules.map(() => 0);
  const introduced = new Map<string, string>();
  const begin = clock.monotonic();
  const skews = rules.filter((rule) => rule.on === 'component' && rule.kind === 'skew') as ComponentRule[];
  return {
    plan,
    hits,
    at(target) {
      const found = decide(rules, chances, hits, clock.monotonic() - begin, target, matches);
      if (found) hits[found.rule] = (hits[found.rule] ?? 0) + 1;
      return found?.fault;
    },
    introduce: (instance, component) => void introduced.set(instance, component),
    componentOf: (instance) => introduced.get(instance),
    skewOf(component) {
      if (skews.length === 0) return 0;
      const now = clock.monotonic() - begin;
      const on = skews.filter((rule) => isOf(component, rule.component) && now >= rule.from_ms && now < rule.to_ms);
      return on.reduce((sum, rule) => sum + rule.ms, 0);
    },
  };
}
