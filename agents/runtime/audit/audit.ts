import type { Log } from '../../../mcp/transport/index.js';
import type { Clock } from '../../../shared/clock.js';
import type { Ids } from '../../../shared/ids.js';
import type { SigningKey } from '../../../shared/keys/index.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Memory, ReadHow } from '../memory/index.js';
import type { AccessLog, Vault, View } from '../record/index.js';
import { startCountersigning } from './countersigner.js';
import { createExports, type Exports, type ExportWish, type PreparedExport } from './exports.js';
import type { Head } from './head.js';
import { createHeadsKeeper } from './heads-keeper.js';
import { type FoundEntries, type SearchWish, searchEntries } from './search.js';

/** What an agent does so that its record can be shown: signed heads, packages, readings that are noted. */
export interface Audit {
  /** Entries of a scope that fit; one call is one entry on the record of who reads. */
  search(wish: SearchWish, how: ReadHow): Promise<FoundEntries>;
  prepare(wish: ExportWish, how: ReadHow): Promise<PreparedExport>;
  readonly seal: Exports['seal'];
  readonly piece: Exports['piece'];
  /** Signs heads from now on, and countersigns those of others where that is this component's part. */
  start(): void;
  stop(): Promise<void>;
}

export interface AuditDeps {
  readonly log: Log;
  readonly heads: Log;
  readonly view: View;
  readonly vault: Vault;
  readonly memory: Memory;
  readonly access: AccessLog;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly signing: SigningKey;
  /** Told of a head that the log does not bear out. */
  readonly mismatch: (head: Head, problem: string) => Promise<void>;
}

export interface AuditOptions {
  readonly tenant: string;
  readonly name: string;
  readonly instance: string;
  readonly countersigns: boolean;
}

export function createAudit(deps: AuditDeps, options: AuditOptions): Audit {
  const { memory, access, ids } = deps;
  const keeper = createHeadsKeeper(deps, options);
  const exports = createExports({ ...deps, keeper, newId: () => ids.request('export') }, options);
  let countersigning: { stop(): Promise<void> } | undefined;
  return {
    search: (wish, how) => searchEntries({ memory, access }, wish, how),
    prepare: exports.prepare,
    seal: exports.seal,
    piece: exports.piece,
    start() {
      keeper.start();
      if (options.countersigns) countersigning = startCountersigning(deps, options);
    },
    async stop() {
      await countersigning?.stop();
      await keeper.stop();
    },
  };
}
