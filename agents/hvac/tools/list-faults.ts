import { z } from 'zod';
import { defineTool, scopes, type Tool } from '../../runtime/index.js';
import {
  DIAGNOSING_EFFECTS,
  DIAGNOSING_MS,
  diagnoseEquipment,
  diagnosisShape,
  findingSchema,
} from '../diagnosis/diagnose-equipment.js';
import { equipmentOfFloor, equipmentOfZone } from '../equipment.js';
import { checkServed } from '../serving.js';
import { exactlyOne } from '../subject.js';

const input = z
  .strictObject({
    floor: z.number().int().optional().describe('a floor of the site, for example 3'),
    zone: z.string().min(1).max(64).optional().describe('a zone of the site, for example F3-A'),
  })
  .superRefine(exactlyOne('floor', 'zone'));

const output = z.object({
  floor: z.number().optional(),
  zone: z.string().optional(),
  ...diagnosisShape,
  faults: z.array(findingSchema).readonly(),
  checked: z.array(z.string()).readonly(),
});

/** The faults of all air conditioning of a floor or zone, worst first. */
export function listFaults(): Tool {
  return defineTool({
    name: 'list_faults',
    version: '1.0.0',
    description: 'the present faults of the air conditioning of a floor or a zone, worst first',
    input,
    output,
    side_effects: DIAGNOSING_EFFECTS,
    effect_class: 'read',
    risk: 'low',
    timeout_ms: DIAGNOSING_MS,
    scope: ({ floor, zone }) => scopes.diagnosis(zone ?? `floor-${floor}`),
    async execute(ctx, { floor, zone }) {
      const subject = zone === undefined ? { floor } : { zone };
      const devices = zone === undefined ? equipmentOfFloor(ctx.site, floor ?? 0) : equipmentOfZone(ctx.site, zone);
      checkServed(ctx, { zone, floor });
      const { findings, equipment, ...rest } = await diagnoseEquipment(ctx, devices);
      return { ...subject, ...rest, faults: findings, checked: equipment };
    },
    test_cases: [
      {
        name: 'a floor without faults',
        input: { floor: 1 },
        expect: { outcome: 'ok', output: { floor: 1, faults: [] }, effects: [] },
      },
      {
        name: 'a floor whose fan is dead',
        input: { floor: 1 },
        world: { faults: [{ device: 'AHU-1', kind: 'fan_dead' }] },
        expect: { outcome: 'ok', output: { faults: [{ device_id: 'AHU-1' }] }, effects: [] },
      },
    ],
    rollback: { none: 'a read changes nothing' },
    snapshot: (_input, found) => ({ data: found }),
  });
}
