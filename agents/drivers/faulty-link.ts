import type { Clock } from '../../shared/clock.js';
import { raceSignal } from '../../shared/deadline.js';
import type { ConnectionCause, LinkCallOptions, LinkDriver } from '../../shared/device.js';
import { HermesError } from '../../shared/errors.js';
import type { Fault, Faults } from '../../shared/fault-plan.js';

export interface FaultyLinkOptions {
  readonly faults: Faults;
  /** The world's clock. */
  readonly clock: Clock;
  /** Whose connection it is, as the plan names it. */
  readonly component: string;
  readonly link: string;
  /** The driver's own default. Default 1 000 ms. */
  readonly requestTimeoutMs?: number;
}

/**
 * A link on which the requests of one component are late, answered "busy", not answered at all, or find no connection,
 * as the plan says. A write that hangs may have arrived: its failure says `sent: true`, as the contract has it.
 */
export function faultyLink(driver: LinkDriver, options: FaultyLinkOptions): LinkDriver {
  const { faults, component, link } = options;
  const through = <T>(
    op: 'read' | 'write',
    unit: number,
    call: LinkCallOptions,
    work: (call: LinkCallOptions) => Promise<T>,
  ): Promise<T> => {
    const fault = faults.at({ on: 'link', name: link, component, op });
    return fault ? suffer(fault, unit, options, call, work) : work(call);
  };
  return {
    get state() {
      return driver.state;
    },
    read: (request, call = {}) => through('read', request.unit, call, (own) => driver.read(request, own)),
    write: (request, call = {}) => through('write', request.unit, call, (own) => driver.write(request, own)),
    fence: (unit, register, epoch, call = {}) =>
      through('write', unit, call, (own) => driver.fence(unit, register, epoch, own)),
    close: () => driver.close(),
  };
}

async function suffer<T>(
  fault: Fault,
  unit: number,
  options: FaultyLinkOptions,
  call: LinkCallOptions,
  work: (call: LinkCallOptions) => Promise<T>,
): Promise<T> {
  const { clock, link } = options;
  const fail = (cause: ConnectionCause, sent: boolean): HermesError =>
    new HermesError('tool_failed', `link ${link}: ${cause}`, { link, unit, cause, sent });
  if (fault.kind === 'cut') throw fail('refused', false);
  if (fault.kind === 'error') throw fail('exception_busy', true);
  const { timeoutMs = options.requestTimeoutMs ?? 1_000, signal } = call;
  if (fault.kind === 'delay' && fault.ms < timeoutMs) {
    await wait(clock, fault.ms, signal, { link, unit, sent: false });
    return work(call);
  }
  const over = new AbortController();
  const own = { ...call, signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal };
  // Its answer, good or bad, reaches nobody; what was not sent by the time it is given up is not sent.
  const arriving = fault.how === 'arrives' ? work(own) : undefined;
  arriving?.catch(() => undefined);
  try {
    await wait(clock, timeoutMs, signal, { link, unit, sent: true });
    throw fail('timeout', true);
  } finally {
    over.abort();
  }
}

/** @throws HermesError of the signal's reason when the caller gives up first. */
async function wait(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  facts: { readonly link: string; readonly unit: number; readonly sent: boolean },
): Promise<void> {
  const over = new AbortController();
  const slept = clock.sleep(ms, over.signal);
  if (!signal) return slept;
  try {
    await raceSignal(slept, signal);
  } catch (error) {
    over.abort();
    const reason = error instanceof HermesError ? error.reason : 'cancelled';
    const cause: ConnectionCause = reason === 'deadline' ? 'timeout' : 'cancelled';
    throw new HermesError(reason, `link ${facts.link}: given up by the caller`, {
      ...facts,
      cause,
      started: facts.sent,
    });
  }
}
