import { systemClock } from '../../shared/clock.js';
import { type Random, seededRandom } from '../../shared/random.js';
import type { HermesProcess } from '../support/hermes-process.js';
import { type GoalView, type ProcessSite, startProcessSite } from '../support/process-site.js';

/**
 * Real processes over a real nats-server, killed and stopped at random points while goals run.
 *  1. Every accepted goal ends.
 *  2. Nothing is done twice: at most one restart and one mail for each goal that asks for them, counted at the device
 *     and at the mail receiver; exactly one of each for a goal that says it is completed.
 */
export interface TortureOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}
export interface TortureResult {
  readonly goals: number;
  readonly completed: number;
  readonly violations: readonly string[];
}

type Victim = 'worker' | 'scheduler' | 'coordinator' | 'nats-server';
const VICTIMS: readonly Victim[] = ['worker', 'coordinator', 'nats-server', 'worker', 'scheduler'];
const ENDS_MS = 120_000;
const STATUS_GOALS = 6;

/** Real time is the promise here: how long somebody is away. */
const pause = (ms: number): Promise<void> => systemClock().sleep(ms);
const plc = (index: number): string => `PLC-${String((index % 12) + 1).padStart(3, '0')}`;

interface Cast {
  readonly site: ProcessSite;
  readonly workers: HermesProcess[];
  scheduler: HermesProcess;
  coordinator: HermesProcess;
}

export async function torture({ rounds, seed, say }: TortureOptions): Promise<TortureResult> {
  const random = seededRandom(seed);
  const site = await startProcessSite();
  try {
    const coordinator = await site.coordinator();
    const [first, second, scheduler] = await Promise.all([
      site.agent('plc_controller'),
      site.agent('plc_controller'),
      site.agent('maintenance_scheduling_agent'),
    ]);
    const cast: Cast = { site, workers: [first, second], scheduler, coordinator };
    const result = { goals: 0, completed: 0, violations: [] as string[] };
    for (let round = 0; round < rounds; round++) {
      const outcome = await playRound(cast, random, round, say);
      result.goals += outcome.goals;
      result.completed += outcome.completed;
      result.violations.push(...outcome.violations.map((what) => `round ${round}: ${what}`));
    }
    if (/unhandled/i.test(site.output())) result.violations.push(`something was left unhandled: ${site.output()}`);
    return result;
  } finally {
    await site.stop();
  }
}

async function playRound(cast: Cast, random: Random, round: number, say: (line: string) => void) {
  const { site } = cast;
  const device = plc(random.int(12));
  const since = Date.now();
  await fault(site, device);
  const restart = await site.submit(`查${device}状态，如果离线，重启它并通知张工`);
  const reads: GoalView[] = [];
  for (let n = 0; n < STATUS_GOALS; n++) reads.push(await site.submit(`查${plc(random.int(12))}状态`, 60_000));

  const act = await harm(cast, random, say, round);
  const began = performance.now();
  const violations: string[] = [];
  const ended: GoalView[] = [];
  for (const { goal_id, goal } of [restart, ...reads]) {
    try {
      ended.push(await site.ended(goal_id, ENDS_MS));
    } catch {
      violations.push(`${act}: "${goal}" (${goal_id}) has not ended within ${ENDS_MS / 1_000} s`);
    }
  }
  // What a stopped worker would still do it does now.
  await pause(1_500);
  const goal = ended.find(({ goal_id }) => goal_id === restart.goal_id);
  const frames = (await site.frames(`?device=${device}&since=${since}`)).filter(
    ({ dir, fc, address }) => dir === 'in' && fc === 6 && address === 100,
  );
  const mails = await mailsAbout(site, device, since);
  const wanted = goal?.state === 'completed' ? [1] : [0, 1];
  for (const [what, count] of [['restarts', frames.length] as const, ['mails', mails] as const]) {
    if (!wanted.includes(count)) violations.push(`${act}: ${count} ${what} of ${device}, the goal is ${goal?.state}`);
  }
  const states = ended.map(({ state, error }) => (error ? `${state} ${error.data.reason}` : state));
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  say(`round ${round}: ${act}; all ended after ${seconds} s: ${countOf(states)}`);
  return { goals: reads.length + 1, completed: ended.filter(({ state }) => state === 'completed').length, violations };
}

/** Something bad happens to somebody, and is over when this resolves. @returns what. */
async function harm(cast: Cast, random: Random, say: (line: string) => void, round: number): Promise<string> {
  const victim = VICTIMS[random.int(VICTIMS.length)] as Victim;
  const kill = random.float() < 0.6;
  const afterMs = random.int(2_500);
  const lastsMs = kill ? random.int(1_000) : 1_000 + random.int(7_000);
  const act = `${kill ? 'kill -9' : 'SIGSTOP'} of the ${victim} after ${afterMs} ms, for ${lastsMs} ms`;
  say(`round ${round}: ${act}`);
  await pause(afterMs);
  if (victim === 'nats-server') {
    await cast.site.nats.stop(kill ? 'SIGKILL' : 'SIGSTOP');
    await pause(lastsMs);
    await (kill ? cast.site.nats.start() : cast.site.nats.stop('SIGCONT'));
    return act;
  }
  const index = random.int(cast.workers.length);
  const process =
    victim === 'worker' ? cast.workers[index] : victim === 'scheduler' ? cast.scheduler : cast.coordinator;
  if (!kill) {
    process?.child.kill('SIGSTOP');
    await pause(lastsMs);
    process?.child.kill('SIGCONT');
    return act;
  }
  await process?.kill('SIGKILL');
  await pause(lastsMs);
  if (victim === 'coordinator') cast.coordinator = await cast.site.coordinator();
  else if (victim === 'scheduler') cast.scheduler = await cast.site.agent('maintenance_scheduling_agent');
  else cast.workers[index] = await cast.site.agent('plc_controller');
  return act;
}

async function fault(site: ProcessSite, device: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ device, kind: 'offline' });
  const response = await fetch(`${site.simUrl}/sim/faults`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${device} cannot be taken off line: ${await response.text()}`);
}

async function mailsAbout(site: ProcessSite, device: string, since: number): Promise<number> {
  const mails = (await (await fetch(`${site.simUrl}/sim/mail?to=zhang`)).json()) as {
    readonly text: string;
    readonly at: number | string;
  }[];
  return mails.filter(({ text, at }) => text.includes(device) && new Date(at).getTime() >= since).length;
}

function countOf(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
