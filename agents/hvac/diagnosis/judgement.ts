import type { PointValue } from '../../../shared/device.js';
import { HermesError } from '../../../shared/errors.js';
import { PLAUSIBLE } from '../config.js';
import type { Look, Rule } from '../rules/index.js';
import type { Seen, Values } from './looks.js';

/** What a rule says of a device: it fires, it does not, or it could not be asked. */
export type Verdict =
  | { readonly is: 'fires'; readonly confidence: number; readonly evidence: Evidence }
  | { readonly is: 'passes' }
  /** `open`: it may well be the fault; whoever asks again may find it. */
  | { readonly is: 'skipped'; readonly reason: string; readonly open?: true };

/** `AHU-3.fan_status` → what the last look says. */
export type Evidence = Readonly<Record<string, number | boolean | string | null>>;

/** What may be wrong with a point: why it tells nothing. */
export function troubleOf(name: string, value: PointValue | undefined): string | undefined {
  if (!value) return 'is not declared';
  if (value.quality.status !== 'good') return `is ${value.quality.status}: ${value.quality.reason}`;
  if (value.value === null) return 'says nothing';
  const range = PLAUSIBLE[name];
  if (!range || typeof value.value !== 'number') return undefined;
  const [low, high] = range;
  return value.value < low || value.value > high ? `is implausible: ${value.value} (${low} to ${high})` : undefined;
}

/**
 * Asks one rule about one device. It fires when every look shows it; a point that tells nothing in any look, or a look
 * of which it cannot be asked, skips it with the reason.
 */
export function judge(rule: Rule, { device, looks }: Seen): Verdict {
  for (const values of looks) {
    for (const point of rule.points) {
      const trouble = troubleOf(point, values[point]);
      // What the device does not have can never be asked; what it does not say just now leaves the question open.
      const open = values[point] ? ({ open: true } as const) : {};
      if (trouble) return { is: 'skipped', reason: `${device.id}.${point} ${trouble}`, ...open };
    }
  }
  const views = looks.map((values) => lookOf(rule, values));
  const last = views.at(-1);
  if (!last) return { is: 'skipped', reason: `${device.id} was not looked at` };
  const asked = views.filter((view) => rule.unless?.(view) === undefined);
  const shown = asked.length > 0 && asked.every((view) => rule.shows(view));
  for (const view of views) {
    const why = rule.unless?.(view);
    if (why) return { is: 'skipped', reason: `${device.id}: ${why}`, ...(shown ? { open: true } : {}) };
  }
  if (!shown) return { is: 'passes' };
  const passing = underWay(rule, views);
  if (passing) return { is: 'skipped', reason: `${device.id}: ${passing}`, open: true };
  const confidence = typeof rule.confidence === 'number' ? rule.confidence : rule.confidence(last);
  return { is: 'fires', confidence, evidence: evidenceOf(rule, device.id, looks.at(-1) ?? {}) };
}

function underWay(rule: Rule, views: readonly Look[]): string | undefined {
  const [first, last] = [views[0], views.at(-1)];
  if (!rule.underWay || !first || !last) return undefined;
  return views.length > 1 ? rule.underWay(first, last) : 'one look cannot tell whether it is under way';
}

/** A look through the points that a rule names; asking for another is a defect of the rule. */
export function lookOf(rule: Pick<Rule, 'name' | 'points' | 'optional'>, values: Values): Look {
  const named = [...rule.points, ...(rule.optional ?? [])];
  const taken = <T extends 'number' | 'boolean'>(point: string, type: T) => {
    const value = named.includes(point) ? values[point]?.value : undefined;
    if (typeof value === type) return value as T extends 'number' ? number : boolean;
    throw new HermesError('internal', `rule ${rule.name} reads ${point}, which is not a ${type} that it has`);
  };
  return {
    number: (point) => taken(point, 'number'),
    is: (point) => taken(point, 'boolean'),
    has: (point) => named.includes(point) && troubleOf(point, values[point]) === undefined,
  };
}

function evidenceOf(rule: Rule, device: string, values: Values): Evidence {
  const there = (rule.optional ?? []).filter((point) => troubleOf(point, values[point]) === undefined);
  return Object.fromEntries([...rule.points, ...there].map((point) => [`${device}.${point}`, valueIn(values, point)]));
}

export const valueIn = (values: Values, point: string): number | boolean | null => values[point]?.value ?? null;
