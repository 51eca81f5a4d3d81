import type { WireError } from '../../../shared/errors.js';
import type { LogFields } from '../../../shared/telemetry/logger.js';
import type { Member, MemberChange } from '../liveness.js';
import type { BusFault } from './line.js';

/** What the thread that keeps members alive is given at its start. */
export interface KeeperOptions {
  readonly url: string;
  readonly tenant: string;
  readonly component: string;
  readonly nkeySeed?: string | undefined;
  readonly caFile?: string | undefined;
  readonly ttlMs: number;
  readonly renewMs: number;
}

export type KeeperCommand =
  | { readonly do: 'join'; readonly id: number; readonly member: Member }
  | {
      readonly do: 'update';
      readonly id: number;
      readonly instance: string;
      readonly state: Member['state'];
      readonly owns?: readonly string[];
    }
  | { readonly do: 'leave'; readonly id: number; readonly instance: string }
  | { readonly do: 'close'; readonly id: number }
  /** The main loop turns; `at` is its monotonic clock. */
  | { readonly do: 'tick'; readonly at: number };

export type KeeperReport =
  | { readonly is: 'ready' }
  | { readonly is: 'failed'; readonly error: WireError }
  | { readonly is: 'done'; readonly id: number; readonly error?: WireError }
  | { readonly is: 'change'; readonly change: MemberChange }
  /** `at` by the monotonic clock of the main loop, never later than the write that was acknowledged. */
  | { readonly is: 'renewed'; readonly instance: string; readonly at: number }
  | { readonly is: 'connected'; readonly connected: boolean }
  | { readonly is: 'fault'; readonly kind: BusFault }
  | {
      readonly is: 'log';
      readonly level: 'debug' | 'info' | 'warn' | 'error';
      readonly fields: LogFields;
      readonly message: string;
    };
