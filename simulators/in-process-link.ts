import type { Clock } from '../shared/clock.js';
import { raceSignal } from '../shared/deadline.js';
import type { ConnectionCause, FenceWrite, LinkCallOptions, LinkDriver, LinkRequest } from '../shared/device.js';
import { type FieldProblem, HermesError, invalidParams } from '../shared/errors.js';
import { FairLine, type InLine } from '../shared/fair-line.js';
import {
  addressOf,
  encodeAdu,
  encodeException,
  encodeReply,
  encodeRequest,
  isRefusal,
  type ModbusRequest,
} from './modbus-pdu.js';
import type { LinkConnection, Verdict } from './request-rules.js';
import type { World } from './world.js';

export interface InProcessLinkDeps {
  readonly clock: Clock;
  readonly world: World;
}

export interface InProcessLinkOptions {
  readonly link: string;
  /** Time that a request and its answer take together, ms. */
  readonly roundTripMs?: number;
  readonly requestTimeoutMs?: number;
}

/** Reads in a row without an answer before the connection counts as half open, as the Modbus driver has it. */
const SILENT_READS = 2;

const READ_CODES = { coil: 1, discrete: 2, holding: 3, input: 4 } as const;

/**
 * A link to the simulated world without a wire, for virtual time: same contract, same faults, same frames in the log
 * as over TCP. One request at a time, in the order of the Modbus driver; each costs `roundTripMs` of the clock.
 */
export function openInProcessLink(deps: InProcessLinkDeps, options: InProcessLinkOptions): LinkDriver {
  const { link } = options;
  const wire = new Wire(deps, options);
  const tokens = new Map<number, number>();
  const declare = async (unit: number, address: number, epoch: number, call: LinkCallOptions) => {
    const { declared } = wire.session;
    if (declared.get(unit) === epoch) return undefined;
    tokens.set(unit, epoch);
    const values = [Math.floor(epoch / 0x1_0000), epoch % 0x1_0000] as const;
    await wire.exchange(unit, { fc: 16, write: { table: 'holding', address, values } }, call);
    declared.set(unit, epoch);
    return { unit, address, values, function_code: 16 } satisfies FenceWrite;
  };
  return {
    get state() {
      return wire.closed ? 'closed' : 'connected';
    },
    async read({ unit, table, address, count }, call = {}) {
      const bits = table === 'coil' || table === 'discrete';
      check({ unit, table, address }, [['/count', count, 1, bits ? 2000 : 125]]);
      const request: ModbusRequest = { fc: READ_CODES[table], read: { table, address, count } };
      return wire.inTurn({ unit, effect: false }, call, async () => [...(await wire.exchange(unit, request, call))]);
    },
    async write({ unit, table, address, values }, call = {}) {
      const top = table === 'coil' ? 1 : 0xffff;
      check({ unit, table, address }, [
        ['/values', values.length, 1, table === 'coil' ? 1968 : 123],
        ...values.map((value, index) => [`/values/${index}`, value, 0, top] as const),
      ]);
      if (table !== 'coil' && table !== 'holding') throw notWritable(table);
      const fc = table === 'coil' ? (values.length === 1 ? 5 : 15) : values.length === 1 ? 6 : 16;
      return wire.inTurn({ unit, effect: true }, call, async () => {
        const token = tokens.get(unit);
        const heard = token === undefined || wire.session.declared.get(unit) === token;
        if (!heard) throw failure('closed', link, unit, false);
        await wire.exchange(unit, { fc, write: { table, address, values } }, call);
        return { function_code: fc };
      });
    },
    async fence(unit, register, epoch, call = {}) {
      check({ unit, table: 'holding', address: register }, [['/epoch', epoch, 0, 0xffff_ffff]]);
      return wire.inTurn({ unit, effect: true }, call, () => declare(unit, register, epoch, call));
    },
    async close() {
      wire.close();
    },
  };
}

/** The turn-taking and the time limits of one link, and its session, which is begun anew after silence. */
class Wire {
  session: Session;
  private readonly line: FairLine<Turn>;
  private busy = false;
  private silentInRow = 0;
  private readonly ending = new AbortController();

  constructor(
    private readonly deps: InProcessLinkDeps,
    private readonly options: InProcessLinkOptions,
  ) {
    this.session = openSession(deps.world, options.link);
    this.line = new FairLine(() => deps.clock.monotonic());
  }

  get closed(): boolean {
    return this.ending.signal.aborted;
  }

  inTurn<T>(asked: InLine, { signal, guard }: LinkCallOptions, work: () => Promise<T>): Promise<T> {
    const { link } = this.options;
    const run = async (): Promise<T> => {
      if (signal?.aborted) throw aborted(signal, { link, sent: false });
      guard?.();
      return work();
    };
    return new Promise((resolve, reject) => {
      this.line.add({ ...asked, start: () => run().then(resolve, reject) });
      this.next();
    });
  }

  private next(): void {
    const turn = this.busy ? undefined : this.line.take();
    if (!turn) return;
    this.busy = true;
    turn.start().finally(() => {
      this.busy = false;
      this.next();
    });
  }

  async exchange(unit: number, request: ModbusRequest, call: LinkCallOptions): Promise<readonly number[]> {
    const { link, roundTripMs = 2, requestTimeoutMs = 1_000 } = this.options;
    const { timeoutMs = requestTimeoutMs, signal } = call;
    if (this.closed) throw failure('closed', link, unit, false);
    try {
      const answer = pass(this.deps, this.session, unit, request, roundTripMs);
      const limited = firstOf(this.deps.clock, answer, timeoutMs, signal, { link, unit });
      const { reply } = await raceSignal(limited, this.ending.signal);
      this.silentInRow = 0;
      this.line.answered(unit);
      if (!isRefusal(reply)) return reply.values;
      throw failure(exceptionCause(reply.exception), link, unit, true, reply.exception);
    } catch (error) {
      this.judge(unit, error, request.write !== undefined);
      throw error;
    }
  }

  close(): void {
    this.session.gone = true;
    this.ending.abort(failure('closed', this.options.link, undefined, true));
  }

  private judge(unit: number, error: unknown, effect: boolean): void {
    const cause = error instanceof HermesError ? error.data.cause : undefined;
    if (cause === 'gateway_target_silent') this.line.silent(unit);
    if (cause !== 'timeout' && cause !== 'cancelled') return;
    // A caller in a hurry (reason `deadline`) is no sign of a silent link.
    if (error instanceof HermesError && error.reason === 'tool_failed') {
      this.line.silent(unit);
      this.silentInRow++;
    }
    if (!effect && this.silentInRow < SILENT_READS) return;
    this.session.gone = true;
    this.session = openSession(this.deps.world, this.options.link);
    this.silentInRow = 0;
  }
}

interface Turn extends InLine {
  start(): Promise<void>;
}

interface Session {
  readonly connection: LinkConnection;
  readonly declared: Map<number, number>;
  gone: boolean;
  transaction: number;
}

const openSession = (world: World, link: string): Session => ({
  connection: world.connect(link),
  declared: new Map(),
  gone: false,
  transaction: 0,
});

/** The request's way through the world; never ends when the link swallows it. */
async function pass(
  { clock, world }: InProcessLinkDeps,
  session: Session,
  unit: number,
  request: ModbusRequest,
  roundTripMs: number,
): Promise<Verdict> {
  const { connection } = session;
  session.transaction = (session.transaction + 1) & 0xffff;
  const { transaction } = session;
  await clock.sleep(roundTripMs / 2);
  if (session.gone || world.isDead(connection)) return forEver();
  const device = world.deviceAt(connection.link, unit);
  const line = {
    ...(device === undefined ? {} : { device }),
    link: connection.link,
    unit,
    fc: request.fc,
    address: addressOf(request),
  };
  const asked = encodeAdu(transaction, unit, encodeRequest(request)).toString('hex');
  world.logFrame({ ...line, at: clock.now(), dir: 'in', values: request.write?.values ?? [], raw: asked });
  const verdict = world.receive(connection, unit, request);
  if (verdict.delayMs > 0) await clock.sleep(verdict.delayMs);
  if (verdict.silent || session.gone || world.isDead(connection)) return forEver();
  const { reply } = verdict;
  const pdu = isRefusal(reply) ? encodeException(request.fc, reply.exception) : encodeReply(request, reply.values);
  const result = isRefusal(reply) ? { values: [], exception: reply.exception } : { values: reply.values };
  world.logFrame({
    ...line,
    at: clock.now(),
    dir: 'out',
    ...result,
    raw: encodeAdu(transaction, unit, pdu).toString('hex'),
  });
  await clock.sleep(roundTripMs / 2);
  return verdict;
}

const forEver = (): Promise<never> => new Promise(() => undefined);

/** The answer, the time limit or the caller's signal, whichever is first. */
function firstOf<T>(
  clock: Clock,
  work: Promise<T>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  { link, unit }: { link: string; unit: number },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      cancel();
      signal?.removeEventListener('abort', abort);
    };
    const abort = (): void => {
      leave();
      if (signal) reject(aborted(signal, { link, unit, sent: true }));
    };
    const cancel = clock.timer(timeoutMs, () => {
      leave();
      reject(failure('timeout', link, unit, true));
    });
    signal?.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(leave);
  });
}

function failure(
  cause: ConnectionCause,
  link: string,
  unit: number | undefined,
  sent: boolean,
  exception?: number,
): HermesError {
  const facts = {
    link,
    ...(unit === undefined ? {} : { unit }),
    sent,
    cause,
    ...(exception === undefined ? {} : { exception }),
  };
  const detail = exception === undefined ? cause : `${cause}, exception ${exception}`;
  return new HermesError('tool_failed', `link ${link}: ${detail}`, facts);
}

function aborted(signal: AbortSignal, facts: { link: string; unit?: number; sent: boolean }): HermesError {
  const why: unknown = signal.reason;
  const given = why instanceof HermesError ? why.reason : undefined;
  const reason = given ?? (why instanceof Error && why.name === 'AbortError' ? 'cancelled' : 'deadline');
  const cause: ConnectionCause = reason === 'deadline' ? 'timeout' : 'cancelled';
  const data = { ...facts, cause, started: facts.sent };
  return new HermesError(reason, `link ${facts.link}: given up by the caller`, data, { cause: why });
}

function exceptionCause(code: number): ConnectionCause {
  if (code >= 1 && code <= 3) return 'exception_permanent';
  if (code === 5 || code === 6) return 'exception_busy';
  return code === 10 || code === 11 ? 'gateway_target_silent' : 'exception_device';
}

type Range = readonly [pointer: string, value: number, low: number, high: number];

function check({ unit, address }: LinkRequest, more: readonly Range[]): void {
  const ranges: readonly Range[] = [['/unit', unit, 1, 247], ['/address', address, 0, 0xffff], ...more];
  const problems: FieldProblem[] = ranges
    .filter(([, value, low, high]) => !(Number.isInteger(value) && value >= low && value <= high))
    .map(([pointer, , low, high]) => ({ pointer, problem: `expected a whole number ${low}–${high}` }));
  if (problems.length > 0) throw invalidParams('the request is not sound Modbus', problems);
}

const notWritable = (table: string): HermesError =>
  invalidParams('the request is not sound Modbus', [{ pointer: '/table', problem: `${table} cannot be written` }]);
