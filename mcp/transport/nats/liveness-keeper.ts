import { headers, type Msg } from '@nats-io/transport-node';
import type { Cancel, Clock } from '../../../shared/clock.js';
import { HermesError } from '../../../shared/errors.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { changedMember, type Member } from '../liveness.js';
import { messageOf, readFailure } from './failure.js';
import type { Jet } from './jet.js';
import type { Line } from './line.js';
import { type Beat, encodeBeat, LiveView, parseBeat } from './live-view.js';
import type { KeeperOptions, KeeperReport } from './liveness-messages.js';
import { liveKey, liveKeys, liveStream } from './streams.js';

export interface KeeperDoors {
  readonly line: Line;
  readonly jet: Jet;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly report: (report: KeeperReport) => void;
}

interface Own {
  member: Member;
  beat: number;
  /** Before the newest write that was acknowledged, by this thread's monotonic clock. */
  renewedAt: number;
}

const OPERATION = 'KV-Operation';
/** The main loop may stand still for so many times to live (30 s by default) before its members count as dead. */
const STANDSTILL_TTLS = 6;
/** Own renewals older than this share of the time to live: the watcher is half deaf itself and judges nobody. */
const OWN_FRESH_SHARE = 0.6;
/** Ticks between two renewals, each looking for the dead. */
const LOOKS = 4;
const READS_AT_ONCE = 32;

/**
 * Renews the members of one process and watches those of all others.
 *
 * A beat is written to the key of its member, which makes it durable for who comes later, and heard by every watcher
 * as it passes, so that no consumer can stall in between. Before a silent member is declared dead its key is read from
 * the stream's leader; as long as nobody answers there, nobody dies: an election kills no one.
 */
export class LivenessKeeper {
  private readonly own = new Map<string, Own>();
  private readonly view: LiveView;
  private readonly judging = new Set<string>();
  private readonly ends: Cancel[] = [];
  private lastTick: number;
  /** Largest known difference of the main loop's monotonic clock and this thread's; only ever too small. */
  private offset = Number.NEGATIVE_INFINITY;
  private deaf = false;
  private looks = 0;

  constructor(
    private readonly doors: KeeperDoors,
    private readonly options: KeeperOptions,
  ) {
    this.view = new LiveView(options.ttlMs);
    this.lastTick = doors.clock.monotonic();
  }

  /** @throws HermesError `log_unavailable` when the bucket cannot be read. */
  async start(): Promise<void> {
    const { line, clock } = this.doors;
    this.listen();
    await line.connection().flush();
    await this.readAll();
    this.ends.push(
      line.onUp((_connection, fresh) => {
        if (fresh) this.listen();
        this.readAll().catch((thrown: unknown) => this.note(thrown, 'members could not be read'));
      }),
      clock.every(this.options.renewMs / LOOKS, () => this.look()),
    );
  }

  tick(at: number): void {
    this.lastTick = this.doors.clock.monotonic();
    this.offset = Math.max(this.offset, at - this.lastTick);
  }

  async join(member: Member): Promise<void> {
    // Wall time of one process, compared with nobody else's: a restart under the same name still counts upwards.
    const own: Own = {
      member: { ...member },
      beat: Math.round(this.doors.clock.now()),
      renewedAt: Number.NEGATIVE_INFINITY,
    };
    await this.write(own);
    this.own.set(member.instance, own);
  }

  async update(instance: string, state: Member['state'], owns?: readonly string[]): Promise<void> {
    const own = this.own.get(instance);
    if (!own) throw new HermesError('instance_lost', `${instance} is not a member any more`);
    const before = own.member;
    const next = changedMember(before, state, owns);
    if (next === before) return;
    own.member = next;
    try {
      await this.write(own);
    } catch (thrown) {
      own.member = before;
      throw thrown;
    }
  }

  /** The goodbye is heard although it may not be kept: the key falls out by its age then. */
  async leave(instance: string): Promise<void> {
    const own = this.own.get(instance);
    if (!own) return;
    this.own.delete(instance);
    const { component } = own.member;
    const goodbye = headers();
    goodbye.set(OPERATION, 'DEL');
    try {
      const key = liveKey(this.options.tenant, component, instance);
      await this.doors.jet.client().publish(key, '', { headers: goodbye, timeout: this.options.renewMs });
    } catch (thrown) {
      this.note(thrown, 'a goodbye was not kept');
    }
    this.change(this.view.remove(instance, 'left'));
  }

  async close(): Promise<void> {
    for (const end of this.ends.splice(0)) end();
    await Promise.all([...this.own.keys()].map((instance) => this.leave(instance)));
  }

  private async write(own: Own): Promise<void> {
    const { tenant, ttlMs } = this.options;
    const { member } = own;
    const beat: Beat = { member, beat: ++own.beat };
    const before = this.doors.clock.monotonic();
    try {
      const key = liveKey(tenant, member.component, member.instance);
      await this.doors.jet.client().publish(key, encodeBeat(beat), { timeout: ttlMs });
    } catch (thrown) {
      throw readFailure(thrown);
    }
    own.renewedAt = Math.max(own.renewedAt, before);
    this.doors.report({ is: 'renewed', instance: member.instance, at: own.renewedAt + this.offset });
    this.hear(beat);
  }

  private look(): void {
    const now = this.doors.clock.monotonic();
    if (++this.looks % LOOKS === 0) this.renew(now);
    if (!this.canJudge(now)) {
      this.deaf = true;
      return;
    }
    if (this.deaf) this.view.refresh(now);
    this.deaf = false;
    for (const beat of this.view.overdue(now)) this.judge(beat);
  }

  private renew(now: number): void {
    if (now - this.lastTick > this.options.ttlMs * STANDSTILL_TTLS || !this.doors.line.connected) return;
    for (const own of this.own.values()) {
      this.write(own).catch((thrown: unknown) => this.note(thrown, 'a renewal failed'));
    }
  }

  private canJudge(now: number): boolean {
    if (!this.doors.line.connected) return false;
    const fresh = this.options.ttlMs * OWN_FRESH_SHARE;
    const stands = now - this.lastTick > this.options.ttlMs * STANDSTILL_TTLS;
    return stands || [...this.own.values()].every(({ renewedAt }) => now - renewedAt <= fresh);
  }

  private judge({ member, beat }: Beat): void {
    const { instance } = member;
    if (this.judging.has(instance)) return;
    this.judging.add(instance);
    this.verdict(member, beat)
      .catch((thrown: unknown) => this.note(thrown, 'a silent member cannot be judged now'))
      .finally(() => this.judging.delete(instance));
  }

  private async verdict({ component, instance }: Member, beat: number): Promise<void> {
    const { line, clock } = this.doors;
    const asked = clock.monotonic();
    await line.connection().flush();
    if (clock.monotonic() - asked > this.options.renewMs) {
      // The server itself stood still: everybody was silent.
      this.view.refresh(clock.monotonic());
      return;
    }
    const kept = await this.readKey(liveKey(this.options.tenant, component, instance));
    const late = this.view.overdue(clock.monotonic()).some(({ member }) => member.instance === instance);
    if (kept === 'left') this.change(this.view.remove(instance, 'left'));
    else if (kept && kept.beat > beat) this.hear(kept);
    else if (late) this.change(this.view.remove(instance, 'expired'));
  }

  private listen(): void {
    this.doors.line.connection().subscribe(liveKeys(this.options.tenant), {
      callback: (error, message) => {
        // Permission violations reach the line as a status.
        if (error) return;
        try {
          this.onMessage(message);
        } catch (thrown) {
          this.note(thrown, 'a beat cannot be read');
        }
      },
    });
  }

  private onMessage({ subject, data, headers: fields }: Msg): void {
    const instance = subject.slice(subject.lastIndexOf('.') + 1);
    if (fields?.get(OPERATION)) {
      this.change(this.view.remove(instance, 'left'));
      return;
    }
    const beat = parseBeat(data);
    // The last token is the instance that the server let write here; nobody speaks for another.
    if (beat.member.instance === instance) this.hear(beat);
  }

  private hear(beat: Beat): void {
    this.change(this.view.hear(beat, this.doors.clock.monotonic()));
  }

  private change(change: ReturnType<LiveView['hear']>): void {
    if (change) this.doors.report({ is: 'change', change });
  }

  /** What the bucket holds: who was there before this process, and who came or left while it was away. */
  private async readAll(): Promise<void> {
    const manager = await this.doors.jet.manager();
    const { state } = await manager.streams.info(liveStream(this.options.tenant), { subjects_filter: '>' });
    const keys = Object.keys(state.subjects ?? {});
    for (let from = 0; from < keys.length; from += READS_AT_ONCE) {
      await Promise.all(
        keys.slice(from, from + READS_AT_ONCE).map(async (key) => {
          const kept = await this.readKey(key);
          if (kept === 'left') this.change(this.view.remove(key.slice(key.lastIndexOf('.') + 1), 'left'));
          else if (kept) this.hear(kept);
        }),
      );
    }
  }

  private async readKey(key: string): Promise<Beat | 'left' | undefined> {
    const manager = await this.doors.jet.manager();
    const kept = await manager.streams.getMessage(liveStream(this.options.tenant), { last_by_subj: key });
    if (!kept) return undefined;
    if (kept.header?.get(OPERATION)) return 'left';
    try {
      return parseBeat(kept.data);
    } catch (thrown) {
      // Nobody is kept alive by what is no beat.
      this.note(thrown, 'a beat cannot be read');
      return undefined;
    }
  }

  private note(thrown: unknown, message: string): void {
    this.doors.logger.warn({ detail: messageOf(thrown) }, message);
  }
}
