import type { Principal } from '../../../mcp/index.js';
import { HermesError, type WireError } from '../../../shared/errors.js';
import type { Scope } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { RecordBook } from './record.js';
import { scopes } from './scopes.js';

/** What somebody wanted to see or do, and was not let, or was let and it is worth a note. */
export interface Access {
  readonly principal: Principal;
  /** `memory_read`, `audit_query`, a method's name. */
  readonly what: string;
  /** What it was about, where it names one. */
  readonly scope?: Scope | string;
  readonly facts?: Readonly<Record<string, unknown>>;
}

/**
 * Who looked at the record, and who was refused: entries on a scope of the component's own, `audit_access`, so that
 * asking about a device adds nothing to the device's chain.
 */
export interface AccessLog {
  /** A refusal is told to the caller whether or not it could be written; one that could not is logged. */
  refused(access: Access, error: WireError): Promise<void>;
  /**
   * @throws HermesError `log_unavailable`: who reads the record without a trace does not read it. A damaged log, which
   * takes nothing, is read all the same, and the process's own log says by whom.
   */
  looked(access: Access): Promise<void>;
}

export function createAccessLog({ record, logger }: { record: RecordBook; logger: Logger }): AccessLog {
  const dataOf = ({ what, scope, facts }: Access) => ({ what, ...(scope ? { about: scope } : {}), ...facts });
  const own = scopes.audit('access');
  return {
    async refused(access, error) {
      const draft = { kind: 'refused', principal: access.principal, error, data: dataOf(access) } as const;
      await record.append(own, draft).catch((thrown: unknown) => {
        logger.error({ err: thrown, what: access.what }, 'a refusal could not be written down');
      });
    },
    async looked(access) {
      const data = dataOf(access);
      try {
        await record.append(own, { kind: 'finished', principal: access.principal, outcome: 'confirmed', data });
      } catch (error) {
        if (!(error instanceof HermesError) || error.data.read_only !== true) throw error;
        logger.warn({ principal: access.principal.id, ...data }, 'read from a damaged record, without an entry');
      }
    },
  };
}
