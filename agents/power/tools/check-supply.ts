import { z } from 'zod';
import { defineTool, scopes, type Tool } from '../../runtime/index.js';
import { FAULT_CODES } from '../faults.js';
import { watch } from '../looking.js';
import { findingSchema } from '../rules/finding.js';
import type { Seen } from '../rules/look.js';
import { type Judged, judgePlace, tellsVoltage, UNREAD_BREAKER } from '../rules/supply-rules.js';
import { suppress } from '../rules/suppression.js';
import { causesFirst, notMeasured, verdictOf } from '../rules/verdict.js';
import { chainOf, floorName, type Subject } from '../subjects.js';
import type { ChainPlace, SupplyChain } from '../supply-chain.js';

const id = z.string().min(1).max(64);
const SUBJECTS = ['device_id', 'zone', 'feeder', 'floor'] as const;

const input = z
  .strictObject({
    device_id: id.optional().describe('any device of the site, for example AHU-3'),
    zone: id.optional().describe('a zone, for example F3-A'),
    floor: z.number().int().optional().describe('a floor: the feeders of it'),
    feeder: id.optional().describe('a meter or a breaker, for example M-3 or BRK-3'),
  })
  .superRefine((given, check) => {
    const named = SUBJECTS.filter((field) => given[field] !== undefined);
    if (named.length === 1) return;
    const [first = 'device_id', second = first] = named;
    const message =
      named.length === 0
        ? 'missing: name one of device_id, zone, feeder, floor'
        : `one of device_id, zone, feeder, floor is checked at a time; ${first} is given too`;
    check.addIssue({ code: 'custom', path: [second], message });
  });

const output = z.object({
  subject: z.string(),
  device_id: z.string().optional(),
  zone: z.string().optional(),
  floor: z.number().optional(),
  feeder: z.string().optional(),
  /** The supply is in order; findings may still tell of a low power factor or a silent meter. */
  ok: z.boolean(),
  verdict: z.enum(['ok', 'cause', 'unknown']),
  cause: z.enum(FAULT_CODES).nullable(),
  cause_device: z.string().nullable(),
  /** Of `unknown`: what could not be read, or has no way of its power declared. */
  not_known: z.array(z.string()),
  /** Of `ok`: breakers that say they are closed, and no meter sees what comes out of them. */
  not_measured: z.array(z.string()),
  /** What keeps equipment from working first, of that the uppermost. */
  findings: z.array(findingSchema),
  /** From the subject upwards. */
  chain: z.array(z.string()),
  skipped: z.array(z.object({ rule: z.string(), device_id: z.string(), reason: z.string() })),
  /** Between the first and the last look. */
  window_ms: z.number(),
});

/**
 * Whether the power of something is in order: walks its chain up to the incomer, looks at every breaker and meter of it
 * twice, and tells the uppermost cause. A part of the chain that does not answer is part of the answer.
 */
export function checkSupply(): Tool {
  return defineTool({
    name: 'check_supply',
    version: '1.0.0',
    description: 'breakers and meters from a device, zone or feeder up to the incomer: what is wrong with the supply',
    input,
    output,
    side_effects: ['modbus.read:BRK-*', 'modbus.read:M-*'],
    effect_class: 'read',
    risk: 'low',
    timeout_ms: 8_000,
    scope: ({ device_id, zone, feeder, floor }) => scopes.supply(device_id ?? zone ?? feeder ?? floorName(floor ?? 0)),
    async execute(ctx, subject) {
      const chain = chainOf(ctx.site, subject);
      const devices = chain.places.flatMap(({ id: place }) => ctx.site.devices.filter((device) => device.id === place));
      const began = ctx.clock.monotonic();
      const seen = await watch(ctx, devices);
      const window_ms = Math.round(ctx.clock.monotonic() - began);
      return { ...report(chain, seen, ctx.clock.now()), ...echo(subject), window_ms };
    },
    test_cases: [
      {
        name: 'a floor that is supplied',
        input: { floor: 1 },
        expect: { outcome: 'ok', output: { floor: 1, ok: true, verdict: 'ok' }, effects: [] },
      },
      {
        name: 'a floor whose breaker has tripped',
        input: { floor: 1 },
        world: { faults: [{ device: 'BRK-1', kind: 'breaker_trip' }] },
        expect: { outcome: 'ok', output: { ok: false, verdict: 'cause', cause_device: 'BRK-1' }, effects: [] },
      },
    ],
    rollback: { none: 'a read changes nothing' },
    snapshot: (_input, checked) => ({ data: checked }),
  });
}

const echo = (subject: Subject): Subject =>
  Object.fromEntries(SUBJECTS.flatMap((field) => (subject[field] === undefined ? [] : [[field, subject[field]]])));

/** Judgement over everything that was seen. Pure. */
export function report(chain: SupplyChain, seen: readonly Seen[], now: number) {
  const judged = chain.places.map((place): [ChainPlace, Judged] => {
    const looks = seen.find((one) => one.id === place.id) ?? { id: place.id, looks: [], unreachable: 'not_declared' };
    return [place, judgePlace(place, looks, now)];
  });
  const all = { found: judged.flatMap(([, one]) => one.found), skipped: judged.flatMap(([, one]) => one.skipped) };
  const { kept, skipped } = suppress(all);
  const findings = causesFirst(kept.map(({ finding }) => finding));
  const answered = judged.filter(([{ role }, one]) => role === 'breaker' && saysPosition(one));
  const telling = judged.filter(([{ id: place, role }, one]) => role === 'meter' && tellsVoltage(place, one));
  const ids = (list: typeof judged): ReadonlySet<string> => new Set(list.map(([place]) => place.id));
  const verdict = verdictOf(findings, chain.routes, ids(answered), ids(telling));
  const unseen = notMeasured(chain.routes, chain.places, ids(telling));
  const dark = chain.unpowered.map((device_id) => ({ rule: 'chain', device_id, reason: 'powered_by is not declared' }));
  return {
    subject: chain.subject,
    ok: verdict.verdict === 'ok',
    ...verdict,
    not_known: [...(chain.routes.length > 0 ? verdict.not_known : chain.unpowered)],
    not_measured: verdict.verdict === 'ok' ? unseen.map(({ device_id }) => device_id) : [],
    findings,
    chain: [...chain.ids],
    skipped: [...dark, ...unseen, ...skipped],
  };
}

const saysPosition = ({ skipped }: Judged): boolean =>
  !skipped.some(({ rule }) => rule === UNREAD_BREAKER || rule === 'breaker_open');
