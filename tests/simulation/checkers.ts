import type { Agent, StoredEntry } from '../../agents/runtime/index.js';
import { isFinal, scopes, verifyChain } from '../../agents/runtime/index.js';
import type { SimFrame } from '../../simulators/index.js';

import type { Twin } from '../../topology/index.js';
import type { Answers } from './answers.js';
import { approvedFirst } from './approval-checker.js';
import { everyRequestAnswered, noLateFrame, noTrouble, nothingPending } from './end-checkers.js';
import type { Violation } from './violation.js';

const WRITES = new Set([5, 6, 15, 16]);
const RESTART = 100;

/** The invariants of a run, each a file of facts: the record on one side, frames and mails on the other. */
export async function checkRun(twin: Twin, accepted: readonly string[], answers: Answers): Promise<Violation[]> {
  const { coordinator, instances } = twin.site();
  const cells: Agent[] = [...instances(), coordinator.agent];
  const entries: StoredEntry[] = [];
  const violations: Violation[] = [];
  /** Instances of one component have one record. */
  const homes = new Map(cells.map(({ cell }) => [cell.component, cell]));
  for (const cell of homes.values()) {
    await cell.view.catchUp();
    for (const scope of await cell.view.scopes()) {
      const chain = await cell.view.entries(scope);
      violations.push(...checkChain(scope, chain));
      entries.push(...chain);
    }
  }
  for (const goalId of accepted) {
    const goal = await coordinator.goals.get(goalId);
    const waits = goal.state === 'paused' && goal.waiting_for !== undefined;
    if (!waits && !isFinal(goal.state)) violations.push({ rule: 'goals end', what: `${goalId} is ${goal.state}` });
    if (isFinal(goal.state) && !goal.answer) violations.push({ rule: 'goals end', what: `${goalId} has no answer` });
    violations.push(...nothingAfterTheEnd(goalId, entries));
  }
  return [
    ...violations,
    ...nothingTwice(twin, entries),
    ...noLateEffect(twin, entries),
    ...everyEffectOnRecord(twin, entries),
    ...rolledBack(entries),
    ...noOneTwice(entries),
    ...approvedFirst(entries),
    ...noLateFrame(twin, entries),
    ...nothingPending(cells),
    ...everyRequestAnswered(answers),
    ...noTrouble(twin),
  ];
}

/** A final state is the last thing that is written of a goal. */
function nothingAfterTheEnd(goalId: string, entries: readonly StoredEntry[]): Violation[] {
  const own = entries.filter((entry) => entry.scope === `goal_${goalId}`).sort((a, b) => a.n - b.n);
  const end = own.findIndex((entry) => entry.data?.type === 'state' && isFinal(entry.data.state as never));
  if (end < 0 || end === own.length - 1) return [];
  const after = own[end + 1];
  return [
    { rule: 'final is final', what: `${goalId} has ${after?.kind} ${String(after?.data?.type ?? '')} after its end` },
  ];
}

function checkChain(scope: string, chain: readonly StoredEntry[]): Violation[] {
  const broken = verifyChain(chain);
  const versions = chain.flatMap((entry) => entry.snapshots?.map((snapshot) => snapshot.version) ?? []);
  const gapless = versions.every((version, index) => version === index + 1);
  return [
    ...(broken === undefined ? [] : [{ rule: 'chains verify', what: `${scope} breaks at ${broken}` }]),
    ...(gapless ? [] : [{ rule: 'versions gapless', what: `${scope} has ${versions.join(',')}` }]),
  ];
}

/** A restart or a mail at most once for each operation that was claimed, and one operation a request. */
function nothingTwice(twin: Twin, entries: readonly StoredEntry[]): Violation[] {
  const started = entries.filter((entry) => entry.kind === 'started');
  const violations: Violation[] = [];
  const requests = new Map<string, number>();
  for (const entry of started) requests.set(entry.request_id ?? '', (requests.get(entry.request_id ?? '') ?? 0) + 1);
  for (const [request, count] of requests) {
    if (count > 1) violations.push({ rule: 'nothing twice', what: `${request} was begun ${count} times` });
  }
  const of = (tool: string, device?: string) =>
    new Set(
      started
        .filter((entry) => entry.tool?.name === tool && (device === undefined || entry.params?.device_id === device))
        .map((entry) => entry.request_id),
    ).size;
  const restarts = twin.world
    .frames()
    .filter((frame) => frame.dir === 'in' && frame.fc === 6 && frame.address === RESTART);
  for (const device of new Set(restarts.map((frame) => frame.device))) {
    const sent = restarts.filter((frame) => frame.device === device).length;
    const asked = of('restart_device', device);
    if (sent > asked)
      violations.push({ rule: 'nothing twice', what: `${device} got ${sent} restarts for ${asked} requests` });
  }
  if (twin.mail.sent.length > of('notify')) {
    violations.push({ rule: 'nothing twice', what: `${twin.mail.sent.length} mails for ${of('notify')} requests` });
  }
  return violations;
}

/** Forward effects end at the deadline that their call carried. */
function noLateEffect(twin: Twin, entries: readonly StoredEntry[]): Violation[] {
  // Of two clocks that differ nothing follows from two times; frames have the true ones.
  if (twin.faults.plan.rules.some(({ kind }) => kind === 'skew')) return [];
  const deadlines = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === 'dispatch') deadlines.set(entry.request_id ?? '', Number(entry.data?.deadline_unix_ms));
  }
  return entries.flatMap((entry) => {
    const deadline = deadlines.get(entry.request_id ?? '');
    if (entry.kind !== 'finished' || deadline === undefined) return [];
    return (entry.effects ?? [])
      .filter(
        (effect) => effect.registers && !effect.rollback && effect.outcome === 'confirmed' && effect.at > deadline,
      )
      .map((effect) => ({
        rule: 'no late effect',
        what: `${entry.request_id}: ${effect.target} ${effect.at - deadline} ms late`,
      }));
  });
}

/** Each write frame has one effect with the same registers; an operation that a crash cut off may lack its own. */
function everyEffectOnRecord(twin: Twin, entries: readonly StoredEntry[]): Violation[] {
  const key = (link: string, unit: number, address: number, values: readonly number[]) =>
    `${link}/${unit}/${address}/${values.join(',')}`;
  const recorded = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== 'finished') continue;
    for (const effect of entry.effects ?? []) {
      if (!effect.registers) continue;
      const { link, unit, address, values } = effect.registers;
      const written = key(link, unit, address, values);
      recorded.set(written, (recorded.get(written) ?? 0) + 1);
    }
  }
  const { devices } = twin.site().coordinator.agent.cell.policy.site;
  const cut = new Set(
    entries
      .filter((entry) => entry.kind === 'finished' && entry.data?.settled === true)
      .flatMap(({ params }) => [
        String(params?.device_id),
        ...devices.filter(({ zone }) => zone !== undefined && zone === params?.zone).map(({ id }) => id),
      ]),
  );
  const fences = new Map(devices.map((device) => [device.id, device.fence_register]));
  /** A new owner tells the device its token; the record of that is the `owned` entry on the device's scope. */
  const tokens = new Set(
    entries.filter(({ kind }) => kind === 'owned').map(({ scope, data }) => `${scope} ${String(data?.epoch)}`),
  );
  const isFence = ({ device = '', address, values: [high = 0, low = 0] }: SimFrame): boolean =>
    address === fences.get(device) && tokens.has(`${scopes.device(device)} ${high * 0x1_0000 + low}`);
  const frames = twin.world.frames().filter((frame) => frame.dir === 'in' && WRITES.has(frame.fc) && !isFence(frame));
  return frames.flatMap((frame) => {
    const found = key(frame.link, frame.unit, frame.address ?? 0, frame.values as number[]);
    const left = recorded.get(found) ?? 0;
    if (left > 0) recorded.set(found, left - 1);
    if (left > 0 || cut.has(frame.device ?? '')) return [];
    return [
      {
        rule: 'effects on record',
        what: `${frame.device} unit ${frame.unit} register ${frame.address}`,
      },
    ];
  });
}

/** What failed after an effect was rolled back, or the record says that it was not and why. */
function rolledBack(entries: readonly StoredEntry[]): Violation[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== 'finished' || entry.outcome !== 'failed' || entry.data?.settled === true || !entry.rollback)
      return [];
    const touched = (entry.effects ?? []).some((effect) => effect.outcome !== 'failed');
    const told = entry.rollback.executed || entry.rollback.reason !== undefined;
    return touched && !told ? [{ rule: 'rolled back', what: `${entry.request_id} has effects and no rollback` }] : [];
  });
}

/** Nobody is given two work orders for one time. */
function noOneTwice(entries: readonly StoredEntry[]): Violation[] {
  const given = entries
    .filter((entry) => entry.tool?.name === 'create_work_order' && entry.outcome === 'confirmed')
    .map(({ result }) => result as { work_order_id: string; assigned_to: string; start: string; end: string });
  return given.flatMap((one, index) =>
    given
      .slice(index + 1)
      .filter((other) => other.assigned_to === one.assigned_to && other.start < one.end && one.start < other.end)
      .map((other) => ({
        rule: 'one order at a time',
        what: `${one.assigned_to} has ${one.work_order_id} and ${other.work_order_id} at once`,
      })),
  );
}
