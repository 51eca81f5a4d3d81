import type { Stage } from './contract.js';
import { unixMs } from './show-time.js';

export interface TraceBar {
  readonly key: string;
  readonly stage: Stage;
  /** From the goal's beginning; negative for the alarm that preceded it. */
  readonly offsetMs: number;
  /** Share of the whole width, 0–1; nothing is drawn of what lies before the goal. */
  readonly left: number;
  readonly width: number;
  readonly drawn: boolean;
}

const isPrelude = (stage: Stage): boolean => /^alarm\b/.test(stage.name);

/**
 * Bars on one scale that begins with the goal. An alarm that preceded it by minutes keeps its true offset in figures,
 * but does not squeeze the goal's milliseconds into nothing.
 */
export function placeStages(stages: readonly Stage[]): { readonly bars: TraceBar[]; readonly totalMs: number } {
  const timed = stages
    .flatMap((stage, index) => {
      const start = unixMs(stage.start_unix_ms);
      return start === undefined ? [] : [{ stage, start, index }];
    })
    .sort((a, b) => a.start - b.start || a.index - b.index);
  const scale = timed.some((item) => !isPrelude(item.stage)) ? timed.filter((item) => !isPrelude(item.stage)) : timed;
  const zero = scale[0]?.start ?? 0;
  const totalMs = Math.max(0, ...scale.map((item) => item.start + item.stage.ms - zero));
  const share = (ms: number): number => (totalMs === 0 ? 0 : Math.min(1, Math.max(0, ms / totalMs)));
  const bars = timed.map(({ stage, start, index }) => {
    const left = share(start - zero);
    const right = share(start + stage.ms - zero);
    return {
      key: `${index} ${stage.name}`,
      stage,
      offsetMs: start - zero,
      left,
      width: right - left,
      drawn: start + stage.ms >= zero,
    };
  });
  return { bars, totalMs };
}
