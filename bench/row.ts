/** One line of the table: what was measured against what is to be reached. */
export interface Row {
  readonly measure: string;
  readonly value: number;
  readonly target: string;
  readonly reached: boolean;
  readonly detail: string;
}

/** A ratio that is to be large. */
export const atLeast = (measure: string, [a, b]: readonly [number, number], target: number, unit: string): Row => ({
  measure,
  value: a / b,
  target: `≥ ${target}`,
  reached: a / b >= target,
  detail: `${a} ÷ ${b} ${unit}`,
});

/** A ratio that is to be small. */
export const atMost = (measure: string, [a, b]: readonly [number, number], target: number, unit: string): Row => ({
  ...atLeast(measure, [a, b], target, unit),
  target: `≤ ${target}`,
  reached: a / b <= target,
});

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

export const table = (rows: readonly Row[]): string =>
  [
    '| measure | to reach | reached | of |',
    '| --- | --- | --- | --- |',
    ...rows.map(({ measure, target, value, reached, detail }) => {
      return `| ${measure} | ${target} | ${value.toFixed(2)}${reached ? '' : ' (missed)'} | ${detail} |`;
    }),
  ].join('\n');
