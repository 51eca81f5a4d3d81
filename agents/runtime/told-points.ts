import { z } from 'zod';
import type { Device, PointValue } from '../../shared/device.js';

/** Points as everybody tells them: engineering value, unit, quality with its reason, and when the device said so. */
export const toldPointsSchema = z.record(
  z.string(),
  z.object({
    value: z.union([z.number(), z.boolean(), z.null()]),
    unit: z.string().optional(),
    quality: z.string(),
    reason: z.string().optional(),
    source_time: z.string(),
  }),
);
export type ToldPoints = z.output<typeof toldPointsSchema>;

/** A point without a value is told as bad, `not_read`; `now` in Unix milliseconds is its time then. */
export function tellPoints(
  device: Device,
  names: readonly string[],
  values: Readonly<Record<string, PointValue>>,
  now: number,
): ToldPoints {
  const told = names.map((name) => {
    const value = values[name];
    const unit = device.points.find((point) => point.name === name)?.unit;
    const quality = value?.quality ?? { status: 'bad' as const, reason: 'not_read' };
    const source_time = new Date(value?.source_time_unix_ms ?? now).toISOString();
    const reason = quality.status === 'good' ? {} : { reason: quality.reason };
    return [
      name,
      { value: value?.value ?? null, ...(unit ? { unit } : {}), quality: quality.status, ...reason, source_time },
    ] as const;
  });
  return Object.fromEntries(told);
}
