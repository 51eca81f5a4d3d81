import {
  type Cell,
  type ComponentKey,
  readDataKeys,
  rewrapDataKeys,
  rotateDataKey,
  scopes,
} from '../agents/runtime/index.js';
import type { Principal } from '../mcp/index.js';
import { HermesError } from '../shared/errors.js';

export interface KeyList {
  readonly master: string;
  /** Unix ms; `in_use`: what is sealed now is sealed under it. */
  readonly data_keys: readonly { readonly number: number; readonly since?: number; readonly in_use: boolean }[];
  readonly components: readonly ComponentKey[];
}

export interface Rotated extends KeyList {
  /** What is left to be done by hand. */
  readonly next?: string;
}

/** The keys of the tenant: which there are, the next one, and the change of the master key. Changes are entries. */
export interface KeyDesk {
  list(): Promise<KeyList>;
  /** A new data key; what is sealed from now on is sealed under it. */
  rotate(principal: Principal): Promise<Rotated>;
  /**
   * All data keys under the master key that is to come. @throws HermesError `invalid_params` when none is given.
   */
  rewrap(principal: Principal): Promise<Rotated>;
}

const NEXT = 'put the new one beside the old: hermes keys init --next, or HERMES_MASTER_KEY_NEXT; then ask again';

/** @param components whose public keys are listed. */
export function createKeyDesk(cell: Cell, components: () => readonly string[]): KeyDesk {
  const { doors, policy, record } = cell;
  const { random, clock, keys, nextMaster } = doors;
  const { log } = doors.transport;
  const { tenant } = policy;

  const list = async (): Promise<KeyList> => {
    const known = await readDataKeys(log, tenant);
    const numbers = [...(known?.wrapped.keys() ?? [])].sort((a, b) => a - b);
    const sinceOf = (number: number) => {
      const since = known?.since.get(number);
      return since === undefined ? {} : { since };
    };
    return {
      master: known?.master ?? keys.id,
      data_keys: numbers.map((number) => ({ number, ...sinceOf(number), in_use: number === known?.current })),
      components: (await Promise.all(components().map(cell.keysOf))).flat(),
    };
  };
  const note = (principal: Principal, data: Readonly<Record<string, unknown>>) =>
    record.append(scopes.config('keys'), { kind: 'key', principal, outcome: 'confirmed', data });

  return {
    list,
    async rotate(principal) {
      const next = nextMaster?.provider();
      const known = await readDataKeys(log, tenant);
      const master = next && next.id === known?.master ? next : keys;
      const number = await rotateDataKey({ log, random, clock }, master, tenant);
      await cell.refreshKeys();
      await note(principal, { change: 'rotated', number, master: master.id });
      return list();
    },
    async rewrap(principal) {
      const to = nextMaster?.provider();
      if (!to) throw new HermesError('invalid_params', 'no new master key is given', { suggestion: NEXT });
      const before = (await readDataKeys(log, tenant))?.master;
      const count = await rewrapDataKeys(log, { from: keys, to }, tenant);
      await cell.refreshKeys();
      await note(principal, { change: 'rewrapped', keys: count, from: before, to: to.id });
      const next = nextMaster?.adopt();
      return { ...(await list()), ...(next ? { next } : {}) };
    },
  };
}
