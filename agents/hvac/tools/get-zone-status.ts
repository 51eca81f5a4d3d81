import { z } from 'zod';
import { defineTool, scopes, type Tool } from '../../runtime/index.js';
import { lookAt } from '../diagnosis/looks.js';
import { equipmentOfZone } from '../equipment.js';
import { checkServed } from '../serving.js';
import { changesOf } from '../setpoint/changes.js';
import { EQUIPMENT_STATES, zoneStateOf } from '../zone-state.js';

const quality = z.object({ status: z.enum(['good', 'bad']), reason: z.string().optional() });

const output = z.object({
  zone: z.string(),
  temperature_c: z.number().nullable(),
  setpoint_c: z.number().nullable(),
  airflow_m3h: z.number().nullable(),
  quality: z.object({ temperature_c: quality, setpoint_c: quality, airflow_m3h: quality }),
  equipment: z
    .array(
      z.object({
        device_id: z.string(),
        kind: z.string(),
        state: z.enum(EQUIPMENT_STATES).nullable(),
        reason: z.string().optional().describe('why there is no state'),
      }),
    )
    .readonly(),
  changed_at: z.array(z.string()).readonly().describe('set-point changes of the last 10 minutes, from memory; ISO'),
  settles_until: z.string().nullable().describe('until when it is on its way to its set-point; ISO'),
});

/**
 * Temperature, set-point and airflow of a zone and what runs for it, as the devices say it now; what they did not say
 * is null, with the reason. It remembers under a scope of its own what the devices said: the memory of set-point
 * changes is written by those who change, for a status that is read meanwhile would put back an older one.
 */
export function getZoneStatus(): Tool {
  return defineTool({
    name: 'get_zone_status',
    version: '1.0.0',
    description: 'temperature, set-point, airflow and equipment of one zone',
    input: z.strictObject({ zone: z.string().min(1).max(64).describe('a zone of the site, for example F3-A') }),
    output,
    side_effects: ['modbus.read:AHU-*', 'modbus.read:VAV-*', 'modbus.read:AC-*', 'memory.read:zone_*'],
    effect_class: 'read',
    risk: 'low',
    actor_key: 'zone',
    timeout_ms: 6_000,
    scope: ({ zone }) => scopes.status(zone),
    async execute(ctx, { zone }) {
      const equipment = equipmentOfZone(ctx.site, zone);
      checkServed(ctx, { zone });
      const { seen } = await lookAt(ctx, equipment, 1);
      return { zone, ...zoneStateOf(seen), ...(await changesOf(ctx, zone)) };
    },
    test_cases: [
      {
        name: 'a zone that is served',
        input: { zone: 'F1-A' },
        expect: { outcome: 'ok', output: { zone: 'F1-A' }, effects: [] },
      },
      { name: 'a zone that is not', input: { zone: 'F9-Z' }, expect: { outcome: 'unknown_entity', effects: [] } },
    ],
    rollback: { none: 'a read changes nothing' },
    snapshot: (_input, { changed_at: _times, settles_until: _until, ...seen }) => ({ data: seen }),
  });
}
