import type { Liveness } from '../../../mcp/transport/index.js';
import type { Cancel, Clock } from '../../../shared/clock.js';
import type { Deadline } from '../../../shared/deadline.js';
import type { DeviceAccess } from '../../../shared/device.js';
import { toHermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { RecordBook, StoredEntry, View } from '../record/index.js';
import { Acting, type Held } from './acting.js';
import { balance } from './balance.js';
import { fenceOff } from './fence-off.js';
import { InUse } from './in-use.js';
import type { OwnedKey } from './keys.js';
import { createMemberNews } from './member-news.js';
import { NOBODY, Owners } from './owners.js';
import { takeOver } from './take-over.js';

/**
 * Which instance of a component owns a key, and how keys pass from one to the next. The last `owned` entry on a key's
 * scope names its owner and its fencing token (epoch); taking over is a compare-and-swap on that scope, once the owner
 * is no longer alive. Tokens only grow, and never below the seconds of the clock, so that a record that was lost does
 * not lock its devices.
 */
export interface Ownership {
  /** The living instance that the record names, this one included; undefined while there is none. */
  ownerOf(key: OwnedKey): string | undefined;
  /**
   * Runs work about a key that this instance owns; waits while nobody does, or while it is being handed over.
   * @throws HermesError `owner_moved` (`started: false`, `owner`) when another instance owns it.
   */
  use<T>(key: OwnedKey, deadline: Deadline, work: () => Promise<T>): Promise<T>;
  /** Resolves when this instance owns the key: until then another one does. */
  acquired(key: OwnedKey): Promise<void>;
  /**
   * The right to write under a key: its token, and a guard for the moment at which the request leaves. What was
   * confirmed over 2 s ago, or by an instance whose own renewals do not arrive, is looked up in the log first.
   * @throws HermesError `owner_moved` when this instance does not own it.
   */
  hold(key: OwnedKey): Promise<Held>;
  /** Gives everything away, as calls end, and takes nothing more. */
  drain(): void;
  /** Keys that this instance acts on. */
  readonly owned: readonly string[];
  stop(): Promise<void>;
}

export interface OwnershipDeps {
  readonly record: RecordBook;
  readonly view: View;
  readonly liveness: Liveness;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly devices: DeviceAccess;
  /** Age of this instance's own renewal, ms. */
  readonly renewedAgoMs: () => number;
}

export interface OwnershipOptions {
  /** Component name without version. */
  readonly component: string;
  readonly instance: string;
  readonly keys: readonly OwnedKey[];
  /** Called after a key was taken over from an instance that died: what it left open is this one's to end. */
  readonly inherited?: (key: OwnedKey) => void;
  /** Called when another instance has taken a key from this one, which it held for dead. */
  readonly lost?: (key: OwnedKey) => void;
  /** Called with the keys that this instance acts on, whenever they have changed. */
  readonly changed?: (ids: readonly string[]) => void;
}

/** With all its keys where nobody else lives; otherwise it takes its share from 1.5 s on. */
export async function openOwnership(deps: OwnershipDeps, options: OwnershipOptions): Promise<Ownership> {
  const ownership = new KeyOwnership(deps, options);
  await ownership.open();
  return ownership;
}

class KeyOwnership implements Ownership {
  private readonly owners: Owners;
  private readonly acting: Acting;
  private readonly inUse = new InUse();
  /** Keys that drain, and to whom they go. */
  private readonly handing = new Map<string, string>();
  private readonly stops = new Set<Cancel>();
  private running: Promise<void> | undefined;
  private again = false;
  private claimsOpen = false;
  private draining = false;
  private stopped = false;

  constructor(
    private readonly deps: OwnershipDeps,
    private readonly options: OwnershipOptions,
  ) {
    this.owners = new Owners(deps.liveness, options.component, options.keys);
    this.acting = new Acting({ ...deps, owners: this.owners, changed: (ids) => options.changed?.(ids) });
  }

  async open(): Promise<void> {
    const { view, liveness } = this.deps;
    const { keys, component, instance } = this.options;
    if (keys.length === 0) return;
    const alone = liveness.members(component).every((member) => member.instance === instance);
    if (alone) for (const key of keys) await this.claim(key);
    const heard = view.onEntry((entry) => this.hear(entry));
    this.stops.add(() => heard.stop());
    for (const key of keys) {
      const last = await view.lastEntry(key.scope);
      if (last) this.owners.note(key, last);
    }
    if (alone) this.claimsOpen = true;
    else {
      this.after(LIMITS.claimDelayMs, () => {
        this.claimsOpen = true;
        this.look();
      });
    }
    const isNews = createMemberNews(component);
    const watch = liveness.watch((change) => {
      if (isNews(change)) this.look();
    });
    this.stops.add(() => watch.stop());
    this.look();
  }

  get owned(): readonly string[] {
    return this.acting.ids;
  }

  ownerOf(key: OwnedKey): string | undefined {
    return this.owners.living(key);
  }

  async use<T>(key: OwnedKey, deadline: Deadline, work: () => Promise<T>): Promise<T> {
    while (!this.acting.has(key) || this.handing.has(key.id)) {
      deadline.check(false);
      const owner = this.owners.living(key);
      if (this.stopped || (owner !== undefined && owner !== this.options.instance)) throw this.owners.moved(key);
      // Calls that wait take up the mailbox: beyond some, callers come again.
      if (this.inUse.waiters >= LIMITS.ownerWaiters) throw this.owners.moved(key);
      await this.inUse.changed(deadline.signal);
    }
    return this.inUse.run(key.id, work);
  }

  async acquired(key: OwnedKey): Promise<void> {
    while (!this.acting.has(key) && !this.stopped) await this.inUse.changed();
  }

  hold(key: OwnedKey): Promise<Held> {
    return this.acting.hold(key);
  }

  drain(): void {
    this.draining = true;
    this.look();
  }

  async stop(): Promise<void> {
    if (this.stopped) return;
    this.draining = true;
    this.stopped = true;
    for (const stop of this.stops) stop();
    this.stops.clear();
    await this.running;
    for (const key of this.options.keys) {
      if (!this.acting.has(key)) continue;
      const { give } = balance(this.options.instance, this.able(), this.owners.holdings(this.handing));
      await this.pass(key, give?.to ?? NOBODY).catch((thrown: unknown) => {
        const { reason, message } = toHermesError(thrown);
        this.deps.logger.warn({ key: key.id, reason, detail: message }, 'a key could not be given back');
      });
    }
    this.inUse.ring();
  }

  private hear(entry: StoredEntry): void {
    const key = entry.kind === 'owned' && this.options.keys.find(({ scope }) => scope === entry.scope);
    if (!key || !this.owners.note(key, entry)) return;
    const mine = this.owners.recorded(key)?.instance === this.options.instance;
    if (!mine && this.acting.end(key)) this.lost(key);
    this.inUse.ring();
    this.look();
  }

  private lost(key: OwnedKey): void {
    const { logger, devices } = this.deps;
    this.handing.delete(key.id);
    logger.info({ key: key.id }, 'a key has another owner');
    this.options.lost?.(key);
    if (key.link === undefined) return;
    devices.release(key.link).catch((thrown: unknown) => {
      logger.warn({ link: key.link, err: thrown }, 'a link did not close');
    });
  }

  private able(): readonly string[] {
    const able = this.owners.able(this.options.instance);
    return this.draining ? able.filter((name) => name !== this.options.instance) : able;
  }

  private after(ms: number, run: () => void): void {
    const cancel = this.deps.clock.timer(ms, () => {
      this.stops.delete(cancel);
      run();
    });
    this.stops.add(cancel);
  }

  /** Looks who is there and who owns what, and does its part; one look at a time, and another if something changed. */
  private look(): void {
    this.again = true;
    if (this.stopped) return;
    this.running ??= this.act().finally(() => {
      this.running = undefined;
      if (this.again) this.look();
    });
  }

  private async act(): Promise<void> {
    await Promise.resolve();
    while (this.again && !this.stopped) {
      this.again = false;
      try {
        await this.doPart();
      } catch (thrown) {
        const { reason, message } = toHermesError(thrown);
        this.deps.logger.warn({ reason, detail: message }, 'ownership could not be settled, it is tried again');
        this.after(LIMITS.livenessRenewMs, () => this.look());
      }
    }
  }

  private async doPart(): Promise<void> {
    const { instance, keys } = this.options;
    for (const key of keys) await this.begin(key);
    const { take, give } = balance(instance, this.able(), this.owners.holdings(this.handing));
    if (this.claimsOpen) for (const key of keys) if (take.includes(key.id)) await this.claim(key);
    const given = keys.find(({ id }) => id === give?.key);
    if (!given || !give || !this.acting.has(given)) return;
    this.handing.set(given.id, give.to);
    this.again = true;
    // Not awaited: a long call holds up this key and no other.
    this.handOver(given, give.to).catch((thrown: unknown) => {
      const { reason, message } = toHermesError(thrown);
      this.deps.logger.warn({ key: given.id, reason, detail: message }, 'a key could not be handed over');
      this.after(LIMITS.livenessRenewMs, () => this.look());
    });
  }

  private async claim(key: OwnedKey): Promise<void> {
    if (await takeOver(this.deps, this.owners, key, this.options.instance)) await this.begin(key);
  }

  /** Drains, closes the socket, and names the next owner. */
  private async handOver(key: OwnedKey, to: string): Promise<void> {
    try {
      while (this.inUse.has(key.id) && !this.stopped) await this.inUse.changed();
      if (!this.stopped) await this.pass(key, to);
    } finally {
      this.handing.delete(key.id);
      this.inUse.ring();
    }
    // Not after a failure: a log that is away would be asked without a pause.
    this.look();
  }

  private async pass(key: OwnedKey, to: string): Promise<void> {
    const { record, view, clock, logger, devices } = this.deps;
    const mine = this.acting.epoch(key);
    if (mine === undefined) return;
    if (key.link !== undefined) await devices.release(key.link);
    const head = await record.head(key.scope);
    await view.waitFor(head.seq);
    if (head.seq !== this.owners.recorded(key)?.seq) return;
    const epoch = to === NOBODY ? mine : Math.max(mine + 1, Math.floor(clock.now() / 1_000));
    this.acting.end(key);
    const entry = await record.claim(key.scope, head, { kind: 'owned', data: { instance: to, epoch } });
    this.owners.note(key, entry);
    logger.info({ key: key.id, to }, 'a key was handed over');
    this.inUse.ring();
  }

  /** Acts on what the record says is its own, once the owner that died is shut out. */
  private async begin(key: OwnedKey): Promise<void> {
    const { instance, inherited } = this.options;
    const owner = this.owners.recorded(key);
    if (this.acting.has(key) || this.handing.has(key.id) || owner?.instance !== instance) return;
    if (owner.from !== undefined) await fenceOff(this.deps, key, { instance, epoch: owner.epoch });
    if (this.owners.recorded(key)?.seq !== owner.seq) return;
    this.acting.begin(key, owner.epoch);
    this.inUse.ring();
    if (owner.from !== undefined) inherited?.(key);
  }
}
