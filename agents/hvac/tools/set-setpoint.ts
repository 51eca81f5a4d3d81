import { z } from 'zod';
import { confirmed, failed, unknown } from '../../../shared/outcome.js';
import { defineTool, scopes, type Tool, type ToolContext } from '../../runtime/index.js';
import { checkServed } from '../serving.js';
import { withChange } from '../setpoint/changes.js';
import { checkRate, checkSetpoint, checkStep } from '../setpoint/limits.js';
import {
  type Before,
  isAt,
  POINT,
  readBack,
  type Setpoints,
  setpointDevices,
  stateBefore,
  writeBack,
} from '../setpoint/setpoints.js';

const input = z.strictObject({
  zone: z.string().min(1).max(64).describe('a zone of the site, for example F3-A'),
  temperature_c: z.number().describe('16 to 30 °C in steps of 0.5'),
});

const output = z.object({
  zone: z.string(),
  temperature_c: z.number(),
  before: z.number().nullable().describe('the former set-point, °C; null where the devices differed'),
  devices: z.array(z.object({ device_id: z.string(), before: z.number() })).readonly(),
  changed_at: z.array(z.string()).readonly(),
  settles_until: z.string().nullable(),
});

/**
 * A silent box costs a time-out of 1 s for what it says, for what it said before the write, for the write and for the
 * proof; beside it the others are written back.
 */
const ROLLBACK_MS = 4_500;

type Input = z.output<typeof input>;
type Output = z.output<typeof output>;

/**
 * Sets the temperature of a zone on every box and split unit of it, and proves each by reading it back within two
 * polls. One that does not take it takes all of them back. Refused: outside of range and steps, too far in one
 * command, too often (as the zone's memory tells).
 */
export function setSetpoint(): Tool {
  return defineTool({
    name: 'set_setpoint',
    version: '1.0.0',
    description: 'sets the temperature of one zone on all its boxes and split units',
    input,
    output,
    side_effects: [
      'modbus.read:VAV-*',
      'modbus.write:VAV-*',
      'modbus.read:AC-*',
      'modbus.write:AC-*',
      'memory.read:zone_*',
    ],
    effect_class: 'idempotent_write',
    risk: 'low',
    actor_key: 'zone',
    probe: 'get_zone_status',
    timeout_ms: 8_000,
    scope: ({ zone }) => scopes.zone(zone),
    async preflight(ctx, { zone, temperature_c }) {
      const devices = setpointDevices(ctx.site, zone);
      checkServed(ctx, { zone });
      checkSetpoint(temperature_c, devices);
    },
    async preState(ctx, { zone, temperature_c }) {
      const before = await stateBefore(ctx, zone, temperature_c);
      checkStep(temperature_c, before.setpoints);
      if (changes(before, temperature_c)) checkRate(zone, before);
      return { ...before };
    },
    async execute(ctx, given, preState) {
      const before = preState as unknown as Before;
      for (const [device, now] of Object.entries(before.setpoints)) {
        if (!isAt(now, given.temperature_c)) await ctx.modbus.write(device, POINT, given.temperature_c);
      }
      return outputOf(ctx, given, before);
    },
    async verify(ctx, given, done, preState) {
      const before = preState as unknown as Before;
      const wanted = given.temperature_c;
      const devices = Object.keys(before.setpoints);
      const seen = await readBack(ctx, Object.fromEntries(devices.map((device) => [device, wanted])));
      const evidence = { wanted, read_back: seen, before: before.setpoints };
      const wrong = Object.values(seen).filter((value) => !isAt(value, wanted));
      if (wrong.length === 0) return { ...confirmed(evidence), output: done ?? outputOf(ctx, given, before) };
      return wrong.some((value) => value !== null) ? failed(evidence) : unknown(evidence);
    },
    test_cases: [
      {
        name: 'a zone gets a new set-point',
        input: { zone: 'F1-A', temperature_c: 25 },
        expect: {
          outcome: 'ok',
          output: { zone: 'F1-A', temperature_c: 25 },
          effects: ['modbus.write:VAV-101.temperature_setpoint'],
        },
      },
      {
        name: 'one that no room may have',
        input: { zone: 'F1-A', temperature_c: 45 },
        expect: { outcome: 'invalid_params', effects: [] },
      },
    ],
    rollback: {
      name: 'write_prior_setpoints',
      description: 'writes the set-points that stood there before, and reads each back',
      max_ms: ROLLBACK_MS,
      run: (ctx, { preState }) => writeBack(ctx, preState.setpoints as Setpoints),
    },
    snapshot: ({ zone }, done, about) => ({
      data: {
        zone,
        action: 'set_setpoint',
        setpoint_c: done.temperature_c,
        before: done.before,
        devices: done.devices,
        changed_at: done.changed_at,
        settles_until: done.settles_until,
        at: about.at,
        operator: about.operator,
        operation_id: about.operationId,
      },
    }),
  });
}

const changes = ({ setpoints }: Before, wanted: number): boolean =>
  Object.values(setpoints).some((prior) => !isAt(prior, wanted));

/** A command that changes nothing writes nothing and counts as no change. */
function outputOf(ctx: ToolContext, { zone, temperature_c }: Input, before: Before): Output {
  const devices = Object.entries(before.setpoints).map(([device_id, prior]) => ({ device_id, before: prior }));
  const priors = [...new Set(Object.values(before.setpoints))];
  const { changed_at, settles_until, way_k } = before;
  const known = { changed_at, settles_until };
  const kept = changes(before, temperature_c) ? withChange(known, ctx.clock.now(), way_k) : known;
  return { zone, temperature_c, before: priors.length === 1 ? (priors[0] as number) : null, devices, ...kept };
}
