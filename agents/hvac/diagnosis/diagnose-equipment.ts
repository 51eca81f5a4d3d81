import { z } from 'zod';
import type { Device } from '../../../shared/device.js';
import type { ToolContext } from '../../runtime/index.js';
import { RANGES } from '../config.js';
import { changesOf } from '../setpoint/changes.js';
import { type Diagnosis, diagnosisOf } from './diagnosis.js';
import { FAULT_CODES, SEVERITIES } from './faults.js';
import { lookAt } from './looks.js';

/** What diagnosing reads, as its tools declare it: equipment, and when set-points were changed. */
export const DIAGNOSING_EFFECTS = [
  'modbus.read:AHU-*',
  'modbus.read:VAV-*',
  'modbus.read:AC-*',
  'memory.read:zone_*',
] as const;

/** A silent device costs seconds; a healthy floor is judged within three. */
export const DIAGNOSING_MS = 10_000;

const evidence = z.record(z.string(), z.union([z.number(), z.boolean(), z.string(), z.null()]));

export const findingSchema = z.object({
  device_id: z.string(),
  link: z.string().optional().describe('the link, where all of it is silent'),
  devices: z.array(z.string()).readonly().optional().describe('what was asked on the silent link'),
  fault: z.enum(FAULT_CODES),
  rule: z.string(),
  severity: z.enum(SEVERITIES),
  confidence: z.number().min(0).max(1),
  since: z.string().describe('so it was from here on, at least; ISO'),
  evidence: evidence.describe('what the last look says, by device and point'),
  recommendation: z.object({ zh: z.string(), en: z.string() }),
  skills: z.array(z.string()).readonly(),
});

/** What every diagnosis says beside its findings. */
export const diagnosisShape = {
  verdict: z.enum(['fault', 'no_fault', 'incomplete']),
  supply_suspect: z.boolean().describe('the power supply has to be looked at'),
  skipped: z
    .array(
      z.object({
        rule: z.string(),
        device_id: z.string(),
        reason: z.string(),
        open: z.literal(true).optional().describe('it may be a fault; asked again, it may be found'),
      }),
    )
    .readonly(),
  window_ms: z.number().describe('how long was looked, ms'),
};

/** Looks at the equipment and judges it. What cannot be reached is found so; nothing is asked beforehand. */
export async function diagnoseEquipment(ctx: ToolContext, devices: readonly Device[]): Promise<Diagnosis> {
  const window = await lookAt(ctx, devices);
  const zones = [...new Set(devices.flatMap((device) => device.zone ?? []))];
  const settling = new Map<string, { zone: number; compressor: number }>();
  for (const zone of zones) {
    const { settles_until, changed_at } = await changesOf(ctx, zone);
    const last = changed_at.at(-1);
    settling.set(zone, {
      zone: settles_until ? Date.parse(settles_until) : 0,
      compressor: last ? Date.parse(last) + RANGES.compressorRestMs : 0,
    });
  }
  return diagnosisOf(window, settling);
}
