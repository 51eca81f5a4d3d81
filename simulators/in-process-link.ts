import type { Clock } from '../shared/clock.js';
import type { ConnectionCause, FenceWrite, LinkCallOptions, LinkDriver, LinkRequest } from '../shared/device.js';
import { type FieldProblem, HermesError, invalidParams } from '../shared/errors.js';
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
 * as over TCP. One request at a time, in order of arrival; each costs `roundTripMs` of the clock.
 */
export function openInProcessLink(deps: InProcessLinkDeps, options: InProcessLinkOptions): LinkDriver {
  const { clock, world } = deps;
  const { link, roundTripMs = 2, requestTimeoutMs = 1_000 } = options;
  const tokens = new Map<number, number>();
  let session = openSession(world, link);
  let tail: Promise<unknown> = Promise.resolve();
  let silentInRow = 0;
  let closed = false;

  const reset = (): void => {
    session.gone = true;
    session = openSession(world, link);
    silentInRow = 0;
  };
  const exchange = async (unit: number, request: ModbusRequest, effect: boolean, call: LinkCallOptions) => {
    const { timeoutMs = requestTimeoutMs, signal } = call;
    const used = session;
    if (closed) throw failure('closed', link, unit, false);
    try {
      const verdict = await firstOf(clock, pass(deps, used, unit, request, roundTripMs), timeoutMs, signal, {
        link,
        unit,
      });
      silentInRow = 0;
      if (isRefusal(verdict.reply)) {
        const { exception } = verdict.reply;
        throw failure(exceptionCause(exception), link, unit, true, exception);
      }
      return verdict.reply.values;
    } catch (error) {
      const cause = error instanceof HermesError ? error.data.cause : undefined;
      if (cause === 'timeout') silentInRow++;
      const unanswered = cause === 'timeout' || cause === 'cancelled';
      if (unanswered && (effect || silentInRow >= SILENT_READS)) reset();
      throw error;
    }
  };
  const inTurn = <T>(call: LinkCallOptions, work: () => Promise<T>): Promise<T> => {
    const turn = tail.then(() => {
      if (call.signal?.aborted) throw aborted(call.signal, { link, sent: false });
      return work();
    });
    tail = turn.catch(() => undefined);
    return turn;
  };
  const declare = async (unit: number, address: number, epoch: number, call: LinkCallOptions) => {
    if (session.declared.get(unit) === epoch) return undefined;
    tokens.set(unit, epoch);
    const used = session;
    const values = [Math.floor(epoch / 0x1_0000), epoch % 0x1_0000] as const;
    await exchange(unit, { fc: 16, write: { table: 'holding', address, values } }, true, call);
    used.declared.set(unit, epoch);
    return { unit, address, values, function_code: 16 } satisfies FenceWrite;
  };
  return {
    get state() {
      return closed ? 'closed' : 'connected';
    },
    async read({ unit, table, address, count }, call = {}) {
      const bits = table === 'coil' || table === 'discrete';
      check({ unit, table, address }, [['/count', count, 1, bits ? 2000 : 125]]);
      const request: ModbusRequest = { fc: READ_CODES[table], read: { table, address, count } };
      return inTurn(call, async () => [...(await exchange(unit, request, false, call))]);
    },
    async write({ unit, table, address, values }, call = {}) {
      const top = table === 'coil' ? 1 : 0xffff;
      check({ unit, table, address }, [
        ['/values', values.length, 1, table === 'coil' ? 1968 : 123],
        ...values.map((value, index) => [`/values/${index}`, value, 0, top] as const),
      ]);
      if (table !== 'coil' && table !== 'holding') throw notWritable(table);
      const fc = table === 'coil' ? (values.length === 1 ? 5 : 15) : values.length === 1 ? 6 : 16;
      return inTurn(call, async () => {
        const token = tokens.get(unit);
        if (token !== undefined && session.declared.get(unit) !== token) throw failure('closed', link, unit, false);
        await exchange(unit, { fc, write: { table, address, values } }, true, call);
        return { function_code: fc };
      });
    },
    async fence(unit, register, epoch, call = {}) {
      check({ unit, table: 'holding', address: register }, [['/epoch', epoch, 0, 0xffff_ffff]]);
      return inTurn(call, () => declare(unit, register, epoch, call));
    },
    async close() {
      closed = true;
      session.gone = true;
    },
  };
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

function failure(cause: ConnectionCause, link: string, unit: number, sent: boolean, exception?: number): HermesError {
  const facts = { link, unit, sent, cause, ...(exception === undefined ? {} : { exception }) };
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
