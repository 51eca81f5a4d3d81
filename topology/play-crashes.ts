import type { Clock } from '../shared/clock.js';
import { HermesError } from '../shared/errors.js';
import type { FaultRule } from '../shared/fault-plan.js';
import type { Logger } from '../shared/telemetry/logger.js';

export interface CrashStage {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly rules: readonly FaultRule[];
  /** @returns whether anybody lived there. */
  crashIn(place: string): boolean;
  startIn(place: string): Promise<void>;
}

/** A supervisor's back-off, ms. */
const AGAIN_MS = 500;

/**
 * Plays the crashes of a plan: each place dies at its time and is started again, as often as it takes while the way out
 * is closed. @returns a list that grows by errors that are none of the table: defects of a start.
 */
export function playCrashes({ clock, logger, rules, crashIn, startIn }: CrashStage): readonly unknown[] {
  const troubles: unknown[] = [];
  const revive = (place: string): void => {
    startIn(place).catch((error: unknown) => {
      if (!(error instanceof HermesError)) {
        troubles.push(error);
        return;
      }
      logger.info({ place, reason: error.reason, detail: error.message }, 'a crashed agent does not start yet');
      clock.timer(AGAIN_MS, () => revive(place));
    });
  };
  for (const rule of rules) {
    if (rule.on !== 'component' || rule.kind !== 'crash') continue;
    clock.timer(rule.from_ms, () => {
      if (crashIn(rule.component)) clock.timer(rule.ms, () => revive(rule.component));
    });
  }
  return troubles;
}
