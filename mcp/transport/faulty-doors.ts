import type { Clock } from '../../shared/clock.js';
import type { Faults } from '../../shared/fault-plan.js';
import type { Logger } from '../../shared/telemetry/logger.js';

/** What the faulty contracts of one component share. */
export interface FaultyDoors {
  readonly faults: Faults;
  /** The world's clock, not the component's own. */
  readonly clock: Clock;
  /** Whose they are, as the plan names it. */
  readonly component: string;
  readonly logger: Logger;
}
