import type { Device } from '../../../shared/device.js';
import { type HermesError, invalidParams } from '../../../shared/errors.js';
import { SETPOINT } from '../config.js';
import type { Changes } from './changes.js';

const refuse = (field: string, problem: string): HermesError =>
  invalidParams(problem, [{ pointer: `/params/${field}`, problem }]);

/** Range and steps, the registers' own limits among them. @throws HermesError `invalid_params` that names the limit. */
export function checkSetpoint(wanted: number, terminals: readonly Device[]): void {
  const points = terminals.flatMap((device) => device.points.filter((point) => point.name === 'temperature_setpoint'));
  const min = Math.max(SETPOINT.minC, ...points.map((point) => point.min ?? SETPOINT.minC));
  const max = Math.min(SETPOINT.maxC, ...points.map((point) => point.max ?? SETPOINT.maxC));
  if (wanted < min) throw refuse('temperature_c', `${wanted} is below ${min} °C`);
  if (wanted > max) throw refuse('temperature_c', `${wanted} is above ${max} °C`);
  const steps = wanted / SETPOINT.stepC;
  if (Number.isInteger(steps)) return;
  throw refuse('temperature_c', `${wanted} is between two steps of ${SETPOINT.stepC} K`);
}

/** @throws HermesError `invalid_params` where a device would have to go further than one command may send it. */
export function checkStep(wanted: number, before: Readonly<Record<string, number>>): void {
  for (const [device, now] of Object.entries(before)) {
    const step = Math.round(Math.abs(wanted - now) * 100) / 100;
    if (step <= SETPOINT.maxStepK) continue;
    const problem = `${wanted} is ${step} K from the ${now} °C of ${device}; at most ${SETPOINT.maxStepK} K a command`;
    throw refuse('temperature_c', problem);
  }
}

/** @throws HermesError `invalid_params` that names the time of the next change. */
export function checkRate(zone: string, { changed_at }: Changes): void {
  const { maxChanges, windowMs } = SETPOINT;
  const first = changed_at.at(-maxChanges);
  if (changed_at.length < maxChanges || first === undefined) return;
  const next = new Date(Date.parse(first) + windowMs).toISOString();
  const often = `${maxChanges} times within ${windowMs / 60_000} minutes`;
  throw refuse('zone', `the set-point of ${zone} was changed ${often}; again from ${next}`);
}
