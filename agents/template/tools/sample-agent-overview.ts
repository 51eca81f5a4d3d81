import { z } from 'zod';
import type { PointValue } from '../../../shared/device.js';
import { HermesError } from '../../../shared/errors.js';
import { defineTool, linkCause, type Tool, type ToolContext } from '../../runtime/index.js';
import type { AgentConfig } from '../config.js';

const output = z.object({
  device_id: z.string(),
  points: z.number().int(),
  good: z.number().int(),
  /** Point → why its value cannot be used. Absent when every point is good. */
  not_good: z.record(z.string(), z.string()).optional(),
  /** Why nothing of the device could be read. */
  unreadable: z.string().optional(),
  /** When the newest good value was true. */
  newest: z.iso.datetime().nullable(),
});
type Overview = z.output<typeof output>;

/**
 * All points of one device: how many are good, which are not and why, and how new the newest is. A device that cannot
 * be reached is an answer here, not a failure.
 */
export function sampleAgentOverview(config: AgentConfig): Tool {
  return defineTool({
    name: 'sample_agent_overview',
    version: '1.0.0',
    description: 'how many points of a device are good, which are not and why, and the newest source time',
    input: z.strictObject({
      device_id: z.string().min(1).max(64).describe('device of the site, for example PLC-003'),
    }),
    output,
    side_effects: ['modbus.read:*'],
    effect_class: 'read',
    risk: 'low',
    timeout_ms: config.timeout_ms,
    async execute(ctx, { device_id }) {
      const names = pointsOf(ctx, device_id);
      try {
        // One point first: a silent device costs the time of one read, not of all its blocks.
        await ctx.modbus.read(device_id, names.slice(0, 1));
        return summary(device_id, Object.values(await ctx.modbus.read(device_id, names)));
      } catch (thrown) {
        return { device_id, points: names.length, good: 0, unreadable: linkCause(thrown), newest: null };
      }
    },
    test_cases: [
      {
        name: 'a device that answers',
        input: { device_id: 'PLC-003' },
        expect: { outcome: 'ok', output: { device_id: 'PLC-003' }, effects: [] },
      },
    ],
    rollback: { none: 'a read changes nothing' },
  });
}

/** @throws HermesError `unknown_entity`, with ids that there are. */
function pointsOf({ site }: ToolContext, device_id: string): string[] {
  const device = site.devices.find((candidate) => candidate.id === device_id);
  if (device) return device.points.map((point) => point.name);
  const candidates = site.devices.slice(0, 3).map((candidate) => candidate.id);
  throw new HermesError('unknown_entity', `no device ${device_id} at this site`, { device_id, candidates });
}

function summary(device_id: string, values: readonly PointValue[]): Overview {
  const not_good: Record<string, string> = {};
  const times: number[] = [];
  for (const { point, quality, source_time_unix_ms } of values) {
    if (quality.status === 'good') times.push(source_time_unix_ms);
    else not_good[point] = quality.reason;
  }
  return {
    device_id,
    points: values.length,
    good: times.length,
    ...(times.length < values.length ? { not_good } : {}),
    newest: times.length > 0 ? new Date(Math.max(...times)).toISOString() : null,
  };
}
