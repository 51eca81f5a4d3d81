/** One point of a device as the page shows it. */
export interface PointRow {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly quality: string;
  readonly reason: string;
  readonly time: number | string | undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toPrecision(7)));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function rowOf(name: string, item: unknown): PointRow {
  if (!isRecord(item)) return { name, value: shown(item), unit: '', quality: '', reason: '', time: undefined };
  const quality = isRecord(item.quality) ? item.quality : { status: item.quality, reason: item.reason };
  const time = item.source_time_unix_ms ?? item.source_time ?? item.at;
  const label = textOf(item.label);
  return {
    name,
    value: label ? `${shown(item.value)} ${label}` : shown(item.value),
    unit: textOf(item.unit),
    quality: textOf(quality.status),
    reason: textOf(quality.reason),
    time: typeof time === 'number' || typeof time === 'string' ? time : undefined,
  };
}

/** Points given as a list with `point` or `name`, or as a map from name to value. */
export function pointRows(points: unknown): PointRow[] {
  if (Array.isArray(points)) {
    return points.map((item: unknown) => rowOf(isRecord(item) ? textOf(item.point ?? item.name) : '', item));
  }
  return isRecord(points) ? Object.entries(points).map(([name, item]) => rowOf(name, item)) : [];
}
