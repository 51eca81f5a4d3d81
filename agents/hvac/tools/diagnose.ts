import { z } from 'zod';
import { defineTool, scopes, type Tool } from '../../runtime/index.js';
import {
  DIAGNOSING_EFFECTS,
  DIAGNOSING_MS,
  diagnoseEquipment,
  diagnosisShape,
  findingSchema,
} from '../diagnosis/diagnose-equipment.js';
import { equipmentOfDevice, equipmentOfZone } from '../equipment.js';
import { checkServed } from '../serving.js';
import { exactlyOne } from '../subject.js';

const input = z
  .strictObject({
    zone: z.string().min(1).max(64).optional().describe('a zone of the site, for example F3-A'),
    device_id: z.string().min(1).max(64).optional().describe('an air handler, VAV box or split unit'),
  })
  .superRefine(exactlyOne('zone', 'device_id'));

const output = z.object({
  zone: z.string().optional(),
  device_id: z.string().optional(),
  ...diagnosisShape,
  findings: z.array(findingSchema).readonly(),
  equipment: z.array(z.string()).readonly(),
});

/**
 * What is wrong with the air conditioning of a zone (its boxes, the air handler that feeds them, its split units) or
 * with one device (and the air handler that feeds it). Equipment that cannot be reached is a finding, not a failure.
 */
export function diagnose(): Tool {
  return defineTool({
    name: 'diagnose',
    version: '1.0.0',
    description: 'finds faults of the air conditioning of a zone or of one device, with evidence and advice',
    input,
    output,
    side_effects: DIAGNOSING_EFFECTS,
    effect_class: 'read',
    risk: 'low',
    timeout_ms: DIAGNOSING_MS,
    scope: ({ zone, device_id }) => scopes.diagnosis(zone ?? device_id ?? ''),
    async execute(ctx, { zone, device_id }) {
      const subject = zone === undefined ? { device_id } : { zone };
      const equipment =
        zone === undefined ? equipmentOfDevice(ctx.site, device_id ?? '') : equipmentOfZone(ctx.site, zone);
      checkServed(ctx, { zone, device_id });
      return { ...subject, ...(await diagnoseEquipment(ctx, equipment)) };
    },
    test_cases: [
      {
        name: 'a zone whose air handler stands',
        input: { zone: 'F1-A' },
        world: { faults: [{ device: 'AHU-1', kind: 'fan_dead' }] },
        expect: { outcome: 'ok', output: { zone: 'F1-A', findings: [{ device_id: 'AHU-1' }] }, effects: [] },
      },
    ],
    rollback: { none: 'a read changes nothing' },
    snapshot: (_input, found) => ({ data: found }),
  });
}
