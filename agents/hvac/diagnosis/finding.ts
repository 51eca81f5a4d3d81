import type { Device } from '../../../shared/device.js';
import type { Language } from '../../../shared/site.js';
import { FAULTS, type Fault, type Severity } from './faults.js';
import type { Evidence } from './judgement.js';

export interface Finding {
  readonly device_id: string;
  /** Where a whole link is silent: its name, and what is on it. */
  readonly link?: string;
  readonly devices?: readonly string[];
  readonly fault: Fault;
  readonly rule: string;
  readonly severity: Severity;
  readonly confidence: number;
  /** It was so from the first look on; how long before, so few looks cannot tell. */
  readonly since: string;
  readonly evidence: Evidence;
  readonly recommendation: Readonly<Record<Language, string>>;
  readonly skills: readonly string[];
}

/** What was not asked or not told, and why. */
export interface Skipped {
  readonly rule: string;
  readonly device_id: string;
  readonly reason: string;
  /** It may be a fault; asked again, it may be found. */
  readonly open?: true;
}

/** A finding before it is told: with its device in place of its name. */
export interface Found extends Omit<Finding, 'device_id' | 'recommendation' | 'skills' | 'since'> {
  readonly device: Device;
}

export const skip = (rule: string, device: Device, reason: string): Skipped => ({
  rule,
  device_id: device.id,
  reason,
});

/** As it is told. `since`: ISO. */
export function findingOf({ device, ...found }: Found, since: string): Finding {
  const { recommendation, skills } = FAULTS[found.fault];
  return { device_id: device.id, ...found, since, recommendation, skills };
}

/** Neither found nor ruled out. */
export const leftOpen = (rule: string, device: Device, reason: string): Skipped => ({
  ...skip(rule, device, reason),
  open: true,
});
