import type { Clock } from '../../shared/clock.js';
import type { Deadline } from '../../shared/deadline.js';
import { HermesError, type Reason } from '../../shared/errors.js';
import { type DeadlineSweep, Expiring } from '../deadline-sweep.js';

export interface EndListener {
  deadlineEnded(): void;
}

/**
 * The deadline of one call at its callee, on the endpoint's one sweep. The AbortSignal is made when somebody asks for
 * it: a call that ends quickly needs none.
 */
export class CallDeadline extends Expiring implements Deadline {
  readonly at: number;
  readonly until: number;
  readonly #clock: Clock;
  readonly #sweep: DeadlineSweep;
  #controller: AbortController | undefined;
  #ended: HermesError | undefined;
  /** Told once when the call is ended by time or by a cancel. */
  #listener: EndListener | undefined;

  /** @param at Unix ms by the clock that is handed in. */
  constructor(clock: Clock, sweep: DeadlineSweep, at: number, listener: EndListener) {
    super();
    this.#clock = clock;
    this.#sweep = sweep;
    this.#listener = listener;
    this.at = at;
    this.until = clock.monotonic() + Math.max(0, at - clock.now());
    sweep.add(this);
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#ended) this.#controller.abort(this.#ended);
    }
    return this.#controller.signal;
  }

  remainingMs(): number {
    return Math.max(0, this.at - this.#clock.now());
  }

  check(started: boolean): void {
    const ended = this.#ended;
    if (!ended && this.#clock.now() < this.at) return;
    if (ended && ended.reason !== 'deadline') {
      throw new HermesError(ended.reason, ended.message, { ...ended.data, started });
    }
    throw new HermesError('deadline', 'the deadline is over', { deadline_unix_ms: this.at, started });
  }

  cancel(why: string, reason: Reason = 'cancelled'): void {
    this.#end(new HermesError(reason, why));
  }

  expire(): void {
    this.#end(new HermesError('deadline', 'the deadline is over', { deadline_unix_ms: this.at }));
  }

  close(): void {
    this.#sweep.remove(this);
    this.#listener = undefined;
  }

  #end(error: HermesError): void {
    if (this.#ended) return;
    this.#ended = error;
    this.#controller?.abort(error);
    this.#listener?.deadlineEnded();
  }
}
