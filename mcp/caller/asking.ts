import type { ComponentId } from '../protocol/component-id.js';
import type { CallSpec } from './call-spec.js';

/** One call on its way: what all its deliveries share. */
export interface Asking {
  readonly spec: CallSpec;
  readonly callee: ComponentId;
  readonly requestId: string;
  deliveries: number;
  traceparent: string | undefined;
  /** Instances that it was at in vain. Emptied when nobody else is left. */
  avoid: Set<string> | undefined;
  /** Who answered last: its clock is the one to go by when nobody is chosen. */
  servedBy: string | undefined;
  /** Whether the last answer told us that instance's clock. */
  clockTold: boolean;
  corrections: number;
  /** A delivery got no answer: from then on only who says `started: true` knows what became of the call. */
  unanswered: boolean;
}
