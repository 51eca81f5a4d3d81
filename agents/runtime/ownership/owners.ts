import type { Liveness } from '../../../mcp/transport/index.js';
import { HermesError } from '../../../shared/errors.js';
import type { StoredEntry } from '../record/index.js';
import type { Holding } from './balance.js';
import type { OwnedKey } from './keys.js';

export interface Owner {
  /** Empty: the last owner went and left it. */
  readonly instance: string;
  readonly epoch: number;
  readonly seq: number;
  /** Instance from which it was taken because it was dead, and which has to be shut out before the first act. */
  readonly from?: string;
}

/** Nobody: the last owner went and left it. */
export const NOBODY = '';

/** Who owns what, as far as the view has applied the log, and who of them lives. */
export class Owners {
  private readonly owners = new Map<string, Owner>();

  constructor(
    private readonly liveness: Liveness,
    private readonly component: string,
    private readonly keys: readonly OwnedKey[],
  ) {}

  /** Takes an `owned` entry of the key's scope. @returns whether it is news. */
  note(key: OwnedKey, { seq, data }: StoredEntry): boolean {
    if (seq <= (this.owners.get(key.id)?.seq ?? 0)) return false;
    const instance = typeof data?.instance === 'string' ? data.instance : NOBODY;
    const epoch = typeof data?.epoch === 'number' ? data.epoch : 0;
    this.owners.set(key.id, { instance, epoch, seq, ...(typeof data?.from === 'string' ? { from: data.from } : {}) });
    return true;
  }

  recorded(key: OwnedKey): Owner | undefined {
    return this.owners.get(key.id);
  }

  living(key: OwnedKey): string | undefined {
    const owner = this.owners.get(key.id)?.instance;
    if (owner === undefined || owner === NOBODY) return undefined;
    const there = this.liveness.members(this.component).some(({ instance }) => instance === owner);
    return there ? owner : undefined;
  }

  /** Instances that may own: those that serve, and this one from its start on. */
  able(self: string): readonly string[] {
    const members = this.liveness.members(this.component);
    const able = members.filter(
      ({ instance, state }) => state === 'ready' || (instance === self && state !== 'draining'),
    );
    return able.map(({ instance }) => instance);
  }

  /** @param handing keys on their way to another instance, which counts as theirs already. */
  holdings(handing: ReadonlyMap<string, string>): readonly Holding[] {
    return this.keys.map((key) => ({ key: key.id, owner: handing.get(key.id) ?? this.living(key) }));
  }

  moved(key: OwnedKey): HermesError {
    const owner = this.living(key);
    const who = owner === undefined ? 'nobody yet' : owner;
    const data = { started: false, ...(owner === undefined ? {} : { owner }) };
    return new HermesError('owner_moved', `${key.id} is owned by ${who}`, data);
  }
}
