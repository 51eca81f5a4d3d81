import type { Time } from './contract.js';

/** Unix ms of a time given as number or ISO 8601; undefined when it is neither. */
export function unixMs(time: Time | null | undefined): number | undefined {
  if (time === null || time === undefined || time === '') return undefined;
  const ms = typeof time === 'number' ? time : /^\d{12,}$/.test(time) ? Number(time) : Date.parse(time);
  return Number.isFinite(ms) ? ms : undefined;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Local wall time, `14:03:07.250`; with the date when it is not today's. */
export function clockTime(time: Time | null | undefined, nowMs: number, withMs = false): string {
  const ms = unixMs(time);
  if (ms === undefined) return '–';
  const at = new Date(ms);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const seconds = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  const text = withMs ? `${seconds}.${String(at.getMilliseconds()).padStart(3, '0')}` : seconds;
  return new Date(nowMs).toDateString() === at.toDateString() ? text : `${day} ${text}`;
}

/** `0.4 ms`, `412 ms`, `3.21 s`, `2 min 05 s`. */
export function duration(ms: number): string {
  const size = Math.abs(ms);
  if (size < 10 && !Number.isInteger(ms)) return `${ms.toFixed(1)} ms`;
  if (size < 1_000) return `${Math.round(ms)} ms`;
  if (size < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.trunc(seconds / 60)} min ${two(Math.abs(seconds % 60))} s`;
}

/** How long something took, or takes until now. Undefined when it has not begun. */
export function elapsed(from: Time | null | undefined, to: Time | null | undefined, nowMs: number): number | undefined {
  const start = unixMs(from);
  if (start === undefined) return undefined;
  return Math.max(0, (unixMs(to) ?? nowMs) - start);
}
