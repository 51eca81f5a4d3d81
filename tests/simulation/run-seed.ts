import { createHash } from 'node:crypto';
import type { Transport } from '../../mcp/transport/index.js';
import { HermesError } from '../../shared/errors.js';
import { seededRandom } from '../../shared/random.js';
import { startTwin, type Topology, type Twin, type TwinCommon } from '../../topology/index.js';
import { duplicatingBus } from '../support/duplicating-bus.js';
import { failingLog, type LogFault } from '../support/failing-log.js';
import { createAnswers } from './answers.js';
import { checkRun } from './checkers.js';
import { drawFaults, QUIET_MS } from './draw-faults.js';
import { drawWorld, placesIn } from './draw-world.js';
import { createOwnersActs } from './owners-acts.js';
import type { Violation } from './violation.js';
import { drawWorkload, type Place, type Workload } from './workload.js';

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** SHA-256 over every record of the log: same seed, same bytes. */
  readonly digest: string;
  readonly goals: number;
  readonly virtualMs: number;
  /** Faults of the plan that hit. */
  readonly hits: number;
}

export interface SeedOptions {
  readonly seed: number;
  readonly topology: Topology;
  /** What runs on one topology share. */
  readonly common?: TwinCommon;
  /** Default `people`. */
  readonly place?: Place;
  /** Default true: a FaultPlan is drawn. Without one a run is as it was before there were plans. */
  readonly faults?: boolean;
  /** Takes a mechanism out, for the canary. */
  readonly sabotage?: (transport: Transport) => Transport;
}

/** Longest that a goal may go on after the last event of the workload: its own deadline, in virtual time. */
const DRAIN_MS = 35 * 60_000;

/** One run: workload × faults × checkers, on virtual time, from one seed. */
export async function runSeed({
  seed,
  topology,
  common,
  place = 'people',
  faults = true,
  sabotage = (transport) => transport,
}: SeedOptions): Promise<SeedResult> {
  const random = seededRandom(seed, 'workload');
  const workload = drawWorkload(random, place);
  const chance = random.stream('bus');
  const world = faults ? drawWorld(random.stream('world'), topology) : topology;
  const plan = faults ? { faults: drawFaults(random.stream('faults'), placesIn(world)) } : {};
  const answers = createAnswers();
  const acts = createOwnersActs();
  let twin: Twin | undefined;
  twin = await startTwin(world, {
    seed,
    ...plan,
    wrapLink: (place, link, driver) => acts.tap(place, link, driver),
    ...(common ? { common } : {}),
    wrap: (component, transport) => {
      const own = failingLog(sabotage(transport), () => logFault(twin, workload));
      const clock = twinClock(() => twin);
      return answers.tap(component, { ...own, bus: duplicatingBus(own.bus, clock, chance, 0.2, 900) });
    },
  });
  const accepted = await play(twin, workload);
  await drain(twin, accepted);
  const violations = [...(await twin.clock.run(checkRun(twin, accepted, answers))), ...acts.overtaken()];
  const digest = await twin.clock.run(digestOf(twin));
  const virtualMs = twin.clock.monotonic();
  const stopping = twin.stop();
  await twin.clock.run(stopping);
  const hits = twin.faults.hits.reduce((sum, count) => sum + count, 0);
  return { seed, violations, digest, goals: accepted.length, virtualMs, hits };
}

/** The twin's clock, which exists only after its transports. */
function twinClock(twin: () => Twin | undefined) {
  const clock = () => (twin() as Twin).clock;
  return {
    now: () => clock().now(),
    monotonic: () => clock().monotonic(),
    timer: (ms: number, run: () => void) => (twin() ? clock().timer(ms, run) : () => undefined),
    every: (ms: number, run: () => void) => clock().every(ms, run),
    sleep: (ms: number, signal?: AbortSignal) => clock().sleep(ms, signal),
  };
}

/** Whether the log is away now. The workload's clock begins when the site stands. */
function logFault(twin: Twin | undefined, { logFault: gap }: Workload): LogFault {
  if (!twin || !gap) return undefined;
  const at = twin.clock.monotonic();
  return at >= gap.at && at < gap.at + gap.for_ms ? gap.how : undefined;
}

interface Happening {
  readonly at: number;
  run(): Promise<void>;
}

/** Plays the workload; returns the goals that were accepted. */
async function play(twin: Twin, workload: Workload): Promise<string[]> {
  const accepted = new Set<string>();
  const goals = workload.goals.flatMap((draw): Happening[] => {
    const { at, text, key, timeout_ms, session, cancelAt, decisions = [] } = draw;
    let id: string | undefined;
    const more = { ...(timeout_ms === undefined ? {} : { timeout_ms }), ...(session ? { session_id: session } : {}) };
    const submit = async () => {
      id = await twin.submit(text, more, key);
      accepted.add(id);
    };
    const cancel = async () => {
      if (id !== undefined) await twin.site().coordinator.goals.cancel(id, { id: 'tester', roles: ['admin'] });
    };
    const say = async (decision: 'approve' | 'reject', by: string) => {
      const { goals: port } = twin.site().coordinator;
      for (const { approval_id, goal_id } of await port.approvals('pending')) {
        if (goal_id !== id) continue;
        await port.decide(approval_id, decision, { principal: { id: by, roles: ['admin'] }, auth: 'none' });
      }
    };
    return [
      ...decisions.map((one): Happening => ({ at: one.at, run: () => say(one.decision, one.by) })),
      { at, run: submit },
      ...(key === undefined ? [] : [{ at: at + 700, run: submit }]),
      ...(cancelAt === undefined ? [] : [{ at: cancelAt, run: cancel }]),
    ];
  });
  const faults = workload.faults.map(
    ({ at, ...fault }): Happening => ({ at, run: async () => void twin.world.addFault(fault as never) }),
  );
  const { end } = workload;
  const ends = end ? [{ at: end.at, run: () => endAndRestart(twin, end.how) }] : [];
  const events = [...faults, ...goals, ...ends].sort((a, b) => a.at - b.at);
  const begin = twin.clock.monotonic();
  for (const event of events) {
    await twin.clock.advance(Math.max(0, begin + event.at - twin.clock.monotonic()));
    await twin.clock.run(
      event.run().catch((error: unknown) => {
        // What the log does not take, or a dying process cuts off, was never accepted; anything else is a defect.
        if (!(error instanceof HermesError) || !CUT_OFF.has(error.reason)) throw error;
      }),
    );
  }
  return [...accepted];
}

/** The last: two people decided at once, or the goal ended meanwhile. */
const CUT_OFF: ReadonlySet<string> = new Set(['instance_lost', 'log_unavailable', 'version_conflict']);

async function endAndRestart(twin: Twin, how: 'crash' | 'shut_down'): Promise<void> {
  if (how === 'crash') twin.crash();
  else await twin.shutDown();
  await twin.clock.sleep(300);
  for (;;) {
    try {
      return await twin.restart();
    } catch (error) {
      // The log may be away just now; whoever supervises the process starts it again.
      if (!(error instanceof HermesError) || error.reason !== 'log_unavailable') throw error;
      await twin.clock.sleep(500);
    }
  }
}

async function drain(twin: Twin, accepted: readonly string[]): Promise<void> {
  // Who asks for a goal while the log is away is told so.
  await twin.clock.advance(Math.max(0, QUIET_MS - twin.clock.monotonic()));
  const all = Promise.all(accepted.map((goalId) => twin.settled(goalId, DRAIN_MS)));
  await twin.clock.run(all, DRAIN_MS + 60_000);
  await twin.clock.advance(10_000);
}

async function digestOf(twin: Twin): Promise<string> {
  const hash = createHash('sha256');
  for await (const record of twin.sim.log.read('>')) {
    hash.update(`${record.seq} ${record.subject}\n`).update(record.payload);
  }
  return hash.digest('hex');
}
