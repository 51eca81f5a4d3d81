import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Cancel, Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { changedMember, type Liveness, type Member, type MemberChange, type Membership } from '../liveness.js';
import { createMemberChanges, type MemberChanges } from '../member-changes.js';
import type { BusFault } from './line.js';
import type { KeeperCommand, KeeperOptions, KeeperReport } from './liveness-messages.js';

export interface NatsLivenessDoors {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fault: (kind: BusFault) => void;
  /** Default: a worker thread. */
  readonly startThread?: (options: KeeperOptions) => Worker;
}

export interface NatsLiveness extends Liveness {
  readonly connected: boolean;
}

type Order = KeeperCommand extends infer C ? (C extends { readonly id: number } ? Omit<C, 'id'> : never) : never;

interface Waiting {
  resolve(): void;
  reject(error: HermesError): void;
}

const RESTART_MS = 1_000;
const CLOSE_MS = 3_000;

/**
 * Liveness by a worker thread: a main loop that computes for seconds is not a dead process. What the thread reports is
 * the view of this process; should the thread end, another takes its place and this process's members join again.
 *
 * @throws HermesError `log_unavailable` when the servers or the bucket cannot be reached.
 */
export async function openNatsLiveness(doors: NatsLivenessDoors, options: KeeperOptions): Promise<NatsLiveness> {
  const liveness = new ThreadLiveness(doors, options);
  await liveness.start();
  return liveness;
}

class ThreadLiveness implements NatsLiveness {
  connected = false;
  private worker: Worker | undefined;
  private stopTick: Cancel | undefined;
  private closed = false;
  private nextId = 1;
  private readonly waiting = new Map<number, Waiting>();
  private readonly changes: MemberChanges;
  private readonly view = new Map<string, Member>();
  /** Whom the present thread knows. */
  private readonly known = new Set<string>();
  private readonly own = new Map<string, Member>();
  private readonly renewed = new Map<string, number>();

  constructor(
    private readonly doors: NatsLivenessDoors,
    private readonly options: KeeperOptions,
  ) {
    this.changes = createMemberChanges(doors.logger);
  }

  async start(): Promise<void> {
    const { clock } = this.doors;
    await this.spawn();
    this.stopTick = clock.every(this.options.renewMs, () => this.send({ do: 'tick', at: clock.monotonic() }));
  }

  async join(member: Member): Promise<Membership> {
    this.checkOpen();
    const { instance } = member;
    await this.order({ do: 'join', member });
    this.own.set(instance, member);
    return {
      renewedAgoMs: () => this.doors.clock.monotonic() - (this.renewed.get(instance) ?? Number.NEGATIVE_INFINITY),
      update: async (state, owns) => {
        await this.order({ do: 'update', instance, state, ...(owns === undefined ? {} : { owns }) });
        this.own.set(instance, changedMember(this.own.get(instance) ?? member, state, owns));
      },
      leave: async () => {
        this.own.delete(instance);
        this.renewed.delete(instance);
        if (!this.closed) await this.order({ do: 'leave', instance });
      },
    };
  }

  members(component?: string): readonly Member[] {
    const all = [...this.view.values()];
    const chosen = component === undefined ? all : all.filter((member) => member.component === component);
    return chosen.sort((a, b) => (a.instance < b.instance ? -1 : 1));
  }

  watch(changed: (change: MemberChange) => void): { stop(): void } {
    this.checkOpen();
    return this.changes.watch((change) => {
      if (!this.closed) changed(change);
    });
  }

  /** Goodbye for all members of this process. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.stopTick?.();
    const { worker } = this;
    if (!worker) return;
    const said = this.order({ do: 'close' }).catch((thrown: unknown) => {
      this.doors.logger.warn({ err: thrown }, 'members left without goodbye');
    });
    let cancel = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      cancel = this.doors.clock.timer(CLOSE_MS, resolve);
    });
    await Promise.race([said, late]);
    cancel();
    await worker.terminate();
    this.connected = false;
  }

  private checkOpen(): void {
    if (this.closed) throw new HermesError('not_ready', 'liveness is closed');
  }

  private send(command: KeeperCommand): void {
    this.worker?.postMessage(command);
  }

  private order(order: Order): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.worker) {
        reject(new HermesError('log_unavailable', 'the liveness thread is being started again', { unknown: false }));
        return;
      }
      const id = this.nextId++;
      this.waiting.set(id, { resolve, reject });
      this.send({ ...order, id });
    });
  }

  private spawn(): Promise<Worker> {
    const { startThread = startWorker } = this.doors;
    const worker = startThread(this.options);
    this.worker = worker;
    this.known.clear();
    worker.postMessage({ do: 'tick', at: this.doors.clock.monotonic() } satisfies KeeperCommand);
    return new Promise((resolve, reject) => {
      const failed = (error: HermesError): void => {
        reject(error);
        this.worker = undefined;
        void worker.terminate();
      };
      worker.on('message', (report: KeeperReport) => {
        if (report.is === 'ready') {
          this.connected = true;
          this.forgetUnknown();
          resolve(worker);
        } else if (report.is === 'failed') failed(HermesError.fromWire(report.error));
        else this.onReport(report);
      });
      worker.on('error', (thrown) => {
        this.doors.logger.error({ err: thrown }, 'the liveness thread failed');
        reject(new HermesError('log_unavailable', `the liveness thread failed: ${thrown.message}`, { unknown: false }));
      });
      worker.on('exit', () => {
        reject(new HermesError('log_unavailable', 'the liveness thread ended', { unknown: false }));
        this.onExit(worker);
      });
    });
  }

  private onReport(report: KeeperReport): void {
    if (report.is === 'change') this.onChange(report.change);
    else if (report.is === 'renewed') this.renewed.set(report.instance, report.at);
    else if (report.is === 'connected') this.connected = report.connected;
    else if (report.is === 'fault') this.doors.fault(report.kind);
    else if (report.is === 'log') this.doors.logger[report.level](report.fields, report.message);
    else if (report.is === 'done') {
      const waiting = this.waiting.get(report.id);
      this.waiting.delete(report.id);
      if (report.error) waiting?.reject(HermesError.fromWire(report.error));
      else waiting?.resolve();
    }
  }

  private onChange(change: MemberChange): void {
    const { instance } = change.member;
    if (change.kind === 'left' || change.kind === 'expired') this.view.delete(instance);
    else {
      this.known.add(instance);
      const known = this.view.get(instance);
      // A thread that was started again tells everything anew.
      if (known && change.kind === 'joined' && JSON.stringify(known) === JSON.stringify(change.member)) return;
      this.view.set(instance, change.member);
    }
    this.changes.report(change);
  }

  /** Who died while there was no thread is not reported by the new one: it has read all keys and knows them not. */
  private forgetUnknown(): void {
    for (const member of [...this.view.values()]) {
      if (!this.known.has(member.instance) && !this.own.has(member.instance))
        this.onChange({ kind: 'expired', member });
    }
  }

  private onExit(worker: Worker): void {
    if (this.worker === worker) this.worker = undefined;
    this.connected = false;
    for (const { reject } of this.waiting.values()) {
      reject(new HermesError('log_unavailable', 'the liveness thread ended', { unknown: true }));
    }
    this.waiting.clear();
    if (this.closed || !this.stopTick) return;
    this.doors.logger.error({}, 'the liveness thread ended, another is started');
    this.doors.clock.timer(RESTART_MS, () => {
      this.restart().catch((thrown: unknown) => {
        this.doors.logger.error({ err: thrown }, 'the liveness thread could not be started');
      });
    });
  }

  private async restart(): Promise<void> {
    if (this.closed || this.worker) return;
    const worker = await this.spawn();
    try {
      for (const member of this.own.values()) await this.order({ do: 'join', member });
    } catch (thrown) {
      // It would renew only those whom it knows, and the others would be ghosts: its end starts the next one.
      await worker.terminate();
      throw thrown;
    }
  }
}

/** From sources (tests, `npm start`) a thread needs the loader that the main loop already has; built it needs none. */
function startWorker(options: KeeperOptions): Worker {
  const file = new URL('./liveness-worker.js', import.meta.url);
  if (!import.meta.url.endsWith('.ts')) return new Worker(file, { workerData: options });
  const loader = createRequire(import.meta.url).resolve('tsx/cjs/api');
  const source = fileURLToPath(file).replace(/\.js$/, '.ts');
  const code = `require(${JSON.stringify(loader)}).register();require(${JSON.stringify(source)})`;
  return new Worker(code, { eval: true, execArgv: [], workerData: options });
}
