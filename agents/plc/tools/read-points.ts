import { z } from 'zod';
import { defineTool, scopes, type Tool, tellPoints, toldPointsSchema } from '../../runtime/index.js';
import { deviceId, findDevice } from '../device.js';

/** Points of one device in engineering units, each with quality and source time. Default: all of them. */
export function readPoints(): Tool {
  return defineTool({
    name: 'read_points',
    version: '1.2.0',
    description: 'values of points of one device, with quality and source time',
    input: z.strictObject({
      device_id: deviceId,
      points: z.array(z.string().min(1).max(64)).min(1).max(200).optional(),
    }),
    output: z.object({
      device_id: z.string(),
      points: toldPointsSchema,
    }),
    side_effects: ['modbus.read:PLC-*'],
    effect_class: 'read',
    risk: 'low',
    actor_key: 'device_id',
    timeout_ms: 3_000,
    scope: (input) => scopes.device(input.device_id),
    async execute(ctx, { device_id, points }) {
      const device = findDevice(ctx.site, device_id);
      const names = points ?? device.points.map((point) => point.name);
      const values = await ctx.modbus.read(device_id, names);
      return { device_id, points: tellPoints(device, names, values, ctx.clock.now()) };
    },
    test_cases: [
      {
        name: 'one point of a controller',
        input: { device_id: 'PLC-003', points: ['status'] },
        expect: { outcome: 'ok', output: { device_id: 'PLC-003' }, effects: [] },
      },
      {
        name: 'a point that the kind does not have',
        input: { device_id: 'PLC-003', points: ['nonsense'] },
        expect: { outcome: 'unknown_entity', effects: [] },
      },
    ],
    rollback: { none: 'a read changes nothing' },
    snapshot: (_input, read) => ({ data: read }),
  });
}
