import type { Principal } from '../../../mcp/index.js';
import { HermesError, invalidParams } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';
import { findSecrets, type Snapshot } from '../record/index.js';
import { checkNamed, checkScope, isComponent, type Right, type Roles } from './access.js';
import type { NamedWriters } from './named-writers.js';
import type { Refusals } from './refusals.js';

/** One use of memory: by whom, by what way. */
export interface MemoryUse {
  readonly principal: Principal;
  /** `memory_read`, `audit_query`, or the tool that is run. */
  readonly what: string;
}

/**
 * The one place that decides who may read and write memory; a refusal leaves an entry.
 *  1. Methods and tools ask here alike: a tool reads and writes no more for a person than that person may.
 *  2. Within a call of one component to another there is no person; grants and allow-lists decided that before.
 */
export interface MemoryGuard {
  /** By the roles. @throws HermesError `scope_denied`. */
  reach(use: MemoryUse, scope: Scope): Promise<void>;
  /** By those that the snapshot names. @throws HermesError `scope_denied`. */
  open(use: MemoryUse, snapshot: Snapshot): Promise<void>;
  /** By the roles, for lists of scopes. */
  reaches(principal: Principal, scope: Scope): boolean;
  /** Both; for lists, which leave out what is closed. */
  sees(principal: Principal, snapshot: Snapshot): boolean;
  /** A read inside a tool. @throws HermesError `scope_denied`. */
  read(use: MemoryUse, scope: Scope, newest: Snapshot | undefined): Promise<void>;
  /**
   * A write by a tool. @throws HermesError `scope_denied`.
   * @param sure The view has caught up with the log; where it may not have, a refusal is not final and leaves nothing.
   */
  write(use: MemoryUse, scope: Scope, sure: boolean): Promise<void>;
  /** What is remembered stands in the log for ever. @throws HermesError `invalid_params` naming the fields. */
  holdsNoSecret(use: MemoryUse, scope: Scope, params: Readonly<Record<string, unknown>>): Promise<void>;
}

export interface MemoryGuardDeps {
  readonly roles: Roles;
  readonly refusals: Refusals;
  readonly writers: NamedWriters;
}

export function createMemoryGuard({ roles, refusals, writers }: MemoryGuardDeps): MemoryGuard {
  const noted = async ({ principal, what }: MemoryUse, scope: Scope, check: () => void): Promise<void> => {
    try {
      check();
    } catch (error) {
      if (error instanceof HermesError) await refusals.note({ principal, what, scope }, error.toWire());
      throw error;
    }
  };
  const checkReaders = ({ access_control, scope }: Snapshot, by: Principal): void =>
    checkNamed(access_control.readers, by, scope, 'read');
  const checkRole = (by: Principal, scope: Scope, right: Right): void => checkScope(roles, by, scope, right);

  return {
    reach: (use, scope) => noted(use, scope, () => checkRole(use.principal, scope, 'read')),
    open: (use, snapshot) => noted(use, snapshot.scope, () => checkReaders(snapshot, use.principal)),
    reaches: (principal, scope) => holds(() => checkRole(principal, scope, 'read')),
    sees: (principal, snapshot) =>
      holds(() => {
        checkRole(principal, snapshot.scope, 'read');
        checkReaders(snapshot, principal);
      }),
    async read(use, scope, newest) {
      if (isComponent(use.principal)) return;
      await noted(use, scope, () => {
        checkRole(use.principal, scope, 'read');
        if (newest) checkReaders(newest, use.principal);
      });
    },
    async holdsNoSecret(use, scope, params) {
      const fields = findSecrets(params, '/params').map(({ pointer, looks_like: looks }) => ({
        pointer,
        problem: `looks like a credential (${looks}); name it by {"kms_key_id": "…"}`,
      }));
      if (fields.length === 0) return;
      const error = invalidParams(`${use.what} remembers no credentials`, fields);
      await refusals.note({ ...use, scope }, error.toWire());
      throw error;
    },
    async write(use, scope, sure) {
      if (isComponent(use.principal)) return;
      const named = await writers.of(scope);
      const check = (): void => {
        checkRole(use.principal, scope, 'write');
        checkNamed(named, use.principal, scope, 'write');
      };
      if (sure) await noted(use, scope, check);
      else check();
    },
  };
}

function holds(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof HermesError && error.reason === 'scope_denied') return false;
    throw error;
  }
}
