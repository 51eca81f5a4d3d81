import { z } from 'zod';
import { defineTool, type Tool } from '../../../agents/runtime/index.js';
import { advise, BASES } from '../advice.js';
import { readZone } from '../zone-readings.js';

/** Advice for one zone: a set-point that costs less, what it saves, and on which basis. */
export function adviseEnergy(): Tool {
  return defineTool({
    name: 'advise_energy',
    version: '1.0.0',
    description: 'a set-point for a zone that costs less energy, with the expected saving and its basis',
    input: z.strictObject({ zone: z.string().min(1).max(48).describe('zone of the site, for example F3-A') }),
    output: z.object({
      zone: z.string(),
      setpoint_c: z.number(),
      advised_setpoint_c: z.number(),
      /** Of the energy that cools or heats the air of the zone, %. */
      saving_pct: z.number(),
      basis: z.enum(BASES),
      /** What the floor takes now, all of it; null without a meter that answers. */
      power_w: z.number().nullable(),
    }),
    side_effects: ['modbus.read:*'],
    effect_class: 'read',
    risk: 'low',
    timeout_ms: 6_000,
    async execute(ctx, { zone }) {
      const { power_w, ...readings } = await readZone(ctx, zone);
      return { zone, setpoint_c: readings.setpoint_c, ...advise(readings), power_w };
    },
    rollback: { none: 'a read changes nothing' },
  });
}
