import { z } from 'zod';
import { defineTool, scopes, type Tool } from '../../runtime/index.js';
import { pointsOf } from '../looking.js';
import { findMeter } from '../subjects.js';

const reading = z.object({
  value: z.union([z.number(), z.boolean(), z.null()]),
  unit: z.string().optional(),
  quality: z.string(),
  reason: z.string().optional(),
  /** When the meter said so, ISO 8601. */
  source_time: z.string(),
});

/**
 * Everything that one meter measures, in the units of its points, each with quality and source time. A point that
 * could not be read is there, bad, with the cause; a meter that does not answer at all is an error.
 */
export function readMeter(): Tool {
  return defineTool({
    name: 'read_meter',
    version: '1.0.0',
    description: 'all values of one electricity meter, with units, quality and source time',
    input: z.strictObject({ meter_id: z.string().min(1).max(64).describe('a meter of the site, for example M-3') }),
    output: z.object({ meter_id: z.string(), points: z.record(z.string(), reading) }),
    side_effects: ['modbus.read:M-*'],
    effect_class: 'read',
    risk: 'low',
    actor_key: 'meter_id',
    timeout_ms: 3_000,
    scope: (input) => scopes.meter(input.meter_id),
    async execute(ctx, { meter_id }) {
      const meter = findMeter(ctx.site, meter_id);
      const names = pointsOf(meter);
      const values = await ctx.modbus.read(meter_id, names);
      const points = names.map((name): [string, z.output<typeof reading>] => {
        const value = values[name];
        const unit = meter.points.find((point) => point.name === name)?.unit;
        const quality = value?.quality ?? { status: 'bad' as const, reason: 'not_read' };
        return [
          name,
          {
            value: typeof value?.value === 'number' ? Math.round(value.value * 1_000) / 1_000 : (value?.value ?? null),
            ...(unit ? { unit } : {}),
            quality: quality.status,
            ...(quality.status === 'good' ? {} : { reason: quality.reason }),
            source_time: new Date(value?.source_time_unix_ms ?? ctx.clock.now()).toISOString(),
          },
        ];
      });
      return { meter_id, points: Object.fromEntries(points) };
    },
    test_cases: [
      {
        name: 'a meter of a floor',
        input: { meter_id: 'M-1' },
        expect: { outcome: 'ok', output: { meter_id: 'M-1' }, effects: [] },
      },
      { name: 'one that is not there', input: { meter_id: 'M-9' }, expect: { outcome: 'unknown_entity', effects: [] } },
    ],
    rollback: { none: 'a read changes nothing' },
    snapshot: (_input, read) => ({ data: read }),
  });
}
