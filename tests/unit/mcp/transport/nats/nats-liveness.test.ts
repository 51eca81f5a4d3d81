import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import type {
  KeeperCommand,
  KeeperOptions,
  KeeperReport,
} from '../../../../../mcp/transport/nats/liveness-messages.js';
import { openNatsLiveness } from '../../../../../mcp/transport/nats/nats-liveness.js';
import { HermesError } from '../../../../../shared/errors.js';
import { VirtualClock } from '../../../../../shared/virtual-clock.js';
import { recordingLogger } from '../../../../support/transport-harness.js';

const OPTIONS: KeeperOptions = { url: '', tenant: 'default', component: 'worker', ttlMs: 5_000, renewMs: 1_000 };
const MEMBER = { component: 'worker', instance: 'worker-a', version: '1.0', since: 1, state: 'ready' } as const;
const DOWN = new HermesError('log_unavailable', 'an election', { unknown: true }).toWire();

/** Threads that are played: each is ready at once and answers orders; what it knows is kept. */
function bench() {
  const clock = new VirtualClock();
  const complaints: string[] = [];
  const threads: { readonly joined: string[]; report(what: KeeperReport): void; end(): Promise<number> }[] = [];
  /** Joins that fail, from the next one on. */
  let failing = 0;
  const startThread = (): Worker => {
    const events = new EventEmitter();
    const joined: string[] = [];
    let ended = false;
    const report = (what: KeeperReport): void => void events.emit('message', what);
    const obey = (command: KeeperCommand): void => {
      if (command.do === 'tick' || ended) return;
      const fails = command.do === 'join' && failing > 0;
      if (fails) failing--;
      else if (command.do === 'join') joined.push(command.member.instance);
      report({ is: 'done', id: command.id, ...(fails ? { error: DOWN } : {}) });
    };
    const end = async (): Promise<number> => {
      if (!ended) clock.timer(0, () => void events.emit('exit', 1));
      ended = true;
      return 1;
    };
    threads.push({ joined, report, end });
    clock.timer(1, () => report({ is: 'ready' }));
    const postMessage = (command: KeeperCommand): void => void clock.timer(1, () => obey(command));
    return Object.assign(events, { postMessage, terminate: end }) as unknown as Worker;
  };
  const doors = { clock, logger: recordingLogger(complaints), fault: () => undefined, startThread };
  return {
    clock,
    threads,
    complaints,
    open: () => clock.run(openNatsLiveness(doors, OPTIONS)),
    failJoins: (count: number) => {
      failing = count;
    },
  };
}

test('a member whose thread is replaced joins again, also when the first tries to join fail', async () => {
  const { clock, threads, open, failJoins } = bench();
  const liveness = await open();
  await clock.run(liveness.join(MEMBER));
  failJoins(2);
  await threads[0]?.end();
  await clock.advance(10_000);
  expect(threads.map(({ joined }) => joined)).toEqual([['worker-a'], [], [], ['worker-a']]);
  expect(liveness.connected).toBe(true);
  await clock.run(liveness.close());
});

test('watchers hear all in one order, also what one of them causes; one that throws is logged', async () => {
  const { threads, complaints, clock, open } = bench();
  const liveness = await open();
  const seen: string[] = [];
  const change = (kind: 'joined' | 'left'): void =>
    threads[0]?.report({ is: 'change', change: { kind, member: MEMBER } });
  liveness.watch(({ kind }) => {
    if (kind === 'joined') change('left');
    throw new Error('deaf');
  });
  liveness.watch(({ kind }) => void seen.push(kind));
  change('joined');
  expect(seen).toEqual(['joined', 'left']);
  expect(complaints.join('\n')).toContain('a liveness watcher failed');
  expect(liveness.members()).toEqual([]);
  await clock.run(liveness.close());
  change('joined');
  expect(seen).toHaveLength(2);
});
