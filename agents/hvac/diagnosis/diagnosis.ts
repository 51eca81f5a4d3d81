import { CONFIDENCE, LOOKS } from '../config.js';
import { CALL, fanIsOff, type Look, RULES, type Rule, speedsUp } from '../rules/index.js';
import { asksForSupply, rankOf, SEVERITIES } from './faults.js';
import { type Finding, type Found, findingOf, leftOpen, type Skipped, skip } from './finding.js';
import { type Evidence, judge, lookOf, troubleOf, valueIn } from './judgement.js';
import type { Seen, Values, Window } from './looks.js';
import { silences } from './silence.js';
import { explained, ZONE_FAULTS } from './suppression.js';

/**
 * `fault`: something was found. `no_fault`: everything was looked at and nothing is wrong. `incomplete`: nothing was
 * found, and something is left open: it was not looked at, or not often enough, or shows what may be a fault.
 */
export type Conclusion = 'fault' | 'no_fault' | 'incomplete';

export interface Diagnosis {
  readonly verdict: Conclusion;
  /** Worst first, causes before effects, then the surer. */
  readonly findings: readonly Finding[];
  /** Something that was told to run shows no sign of it, or is silent: the power supply has to be looked at. */
  readonly supply_suspect: boolean;
  readonly equipment: readonly string[];
  readonly skipped: readonly Skipped[];
  readonly window_ms: number;
}

/** Zone → until when rules rest after a change of its set-point, Unix ms. */
export type Settling = ReadonlyMap<string, Readonly<Record<NonNullable<Rule['rests']>, number>>>;

/** Every rule on every look, the sensors themselves, and what cannot be reached; then what explains what. Pure. */
export function diagnosisOf({ seen, from, window_ms }: Window, settling: Settling): Diagnosis {
  const { found, skipped } = silences(seen);
  for (const one of seen) {
    if (one.unasked) skipped.push(leftOpen('LINK', one.device, 'there was no time left to ask it'));
    else if (one.silent === undefined) {
      found.push(...sensors(one));
      const times = one.looks.length;
      if (times < LOOKS.count) {
        skipped.push(leftOpen('LOOKS', one.device, `${one.device.id} was looked at ${times} times of ${LOOKS.count}`));
      }
      for (const rule of RULES)
        if (rule.kind === one.device.kind) ask(rule, one, seen, { settling, from }, found, skipped);
    }
  }
  for (const one of seen) askWhetherOff(one, found, skipped);
  const kept = worstOfEach(found);
  const causes = explained(kept);
  for (const [effect, cause] of causes) {
    skipped.push(skip(effect.rule, effect.device, `explained by ${cause.fault} of ${cause.device.id}`));
  }
  const told = kept.filter((finding) => !causes.has(finding)).sort(worstFirst);
  const since = new Date(from).toISOString();
  const nothing = skipped.some((one) => one.open) ? 'incomplete' : 'no_fault';
  return {
    verdict: told.length > 0 ? 'fault' : nothing,
    findings: told.map((one) => findingOf(one, since)),
    supply_suspect: kept.some((finding) => asksForSupply(finding.fault)),
    equipment: seen.map((one) => one.device.id),
    skipped,
    window_ms,
  };
}

function ask(
  rule: Rule,
  one: Seen,
  all: readonly Seen[],
  { settling, from }: { settling: Settling; from: number },
  found: Found[],
  skipped: Skipped[],
): void {
  const { device } = one;
  const source = rule.needsAir ? all.find((other) => other.device.id === device.fed_by) : undefined;
  const airless = source && withoutAir(source);
  const until = (rule.rests && settling.get(device.zone ?? '')?.[rule.rests]) ?? 0;
  const verdict = judge(rule, one);
  if (verdict.is === 'skipped') {
    skipped.push((verdict.open ? leftOpen : skip)(rule.name, device, verdict.reason));
  } else if (verdict.is === 'fires' && airless) skipped.push(leftOpen(rule.name, device, airless));
  else if (verdict.is === 'fires' && until > from) {
    const reason = `the set-point of ${device.zone} is new; asked again from ${new Date(until).toISOString()}`;
    skipped.push(leftOpen(rule.name, device, reason));
  } else if (verdict.is === 'fires') {
    const { confidence, evidence } = verdict;
    found.push({ device, fault: rule.fault, rule: rule.name, severity: rule.severity, confidence, evidence });
  }
}

/** Why a box cannot have its air yet: its air handler is switched off, or its fan is speeding up. */
function withoutAir(one: Seen): string | undefined {
  const views = viewsOf(one, [...CALL, 'fan_speed']);
  const [first, last] = [views[0], views.at(-1)];
  if (!first || !last) return undefined;
  const why = fanIsOff(last) ?? speedsUp(first, last);
  return why && `${one.device.id}: ${why}`;
}

/** The looks through these points; none where one of them tells nothing. */
function viewsOf({ looks }: Seen, points: readonly string[]): Look[] {
  const says = (values: Values): boolean => points.every((point) => troubleOf(point, values[point]) === undefined);
  return looks.every(says) ? looks.map((values) => lookOf({ name: 'AIR', points }, values)) : [];
}

/**
 * An air handler that is switched off: a finding where a zone that it feeds is away from its set-point. Elsewhere it
 * may be meant so; then nothing of its air can be judged, and that is said.
 */
function askWhetherOff({ device, looks, ...one }: Seen, found: Found[], skipped: Skipped[]): void {
  const views = device.kind === 'ahu' ? viewsOf({ device, looks, ...one }, CALL) : [];
  const whys = views.map(fanIsOff);
  const why = whys.at(-1);
  if (why === undefined || whys.includes(undefined)) return;
  const misses = found.filter(({ fault, device: fed }) => fed.fed_by === device.id && ZONE_FAULTS.includes(fault));
  if (misses.length === 0) {
    skipped.push(leftOpen('AHU-OFF', device, `${device.id}: ${why}; its air cannot be judged`));
    return;
  }
  const said = CALL.map((point) => [`${device.id}.${point}`, valueIn(looks.at(-1) ?? {}, point)] as const);
  const evidence = Object.assign(Object.fromEntries(said), ...misses.map((miss) => miss.evidence)) as Evidence;
  const sure = { severity: 'medium', confidence: CONFIDENCE.said } as const;
  found.push({ device, fault: 'switched_off', rule: 'AHU-OFF', ...sure, evidence });
}

/** Sensors that tell nothing, or nothing that can be (open-fdd SV-RANGE), in every look. */
function sensors({ device, looks }: Seen): Found[] {
  const last = looks.at(-1) ?? {};
  return device.points.flatMap(({ name }): Found[] => {
    if (!looks.every((values) => troubleOf(name, values[name]) !== undefined)) return [];
    const quality = last[name]?.quality;
    const bad = quality && quality.status !== 'good';
    return [
      {
        device,
        fault: 'sensor_fault',
        rule: bad ? 'SV-QUALITY' : 'SV-RANGE',
        severity: 'medium',
        confidence: CONFIDENCE.said,
        evidence: { [`${device.id}.${name}`]: bad ? quality.reason : valueIn(last, name) },
      },
    ];
  });
}

/** Of one fault on one device the worst and surest finding; each broken sensor stands for itself. */
function worstOfEach(found: readonly Found[]): Found[] {
  const best = new Map<string, Found>();
  for (const one of [...found].sort(worstFirst)) {
    const sensor = one.fault === 'sensor_fault' ? JSON.stringify(one.evidence) : '';
    const key = `${one.device.id} ${one.fault} ${sensor}`;
    if (!best.has(key)) best.set(key, one);
  }
  return [...best.values()];
}

const worstFirst = (a: Found, b: Found): number =>
  SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
  rankOf(a.fault) - rankOf(b.fault) ||
  b.confidence - a.confidence ||
  (a.device.id < b.device.id ? -1 : a.device.id > b.device.id ? 1 : 0);
