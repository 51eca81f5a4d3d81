import { type Cell, readDataKeys } from '../agents/runtime/index.js';
import { type Principal, subjects } from '../mcp/index.js';
import { BACKUP_FORMAT, backupLines } from '../mcp/transport/index.js';

/**
 * The record of the whole tenant as lines of a file, made while the site runs; who took it is on the record.
 * @throws HermesError `log_unavailable`; then nothing was told.
 */
export async function openBackup(cell: Cell, principal: Principal): Promise<AsyncGenerator<string>> {
  const { doors, policy, access } = cell;
  const { transport, clock, keys, signing } = doors;
  const { tenant } = policy;
  await access.looked({ principal, what: 'backup' });
  const master = (await readDataKeys(transport.log, tenant))?.master ?? keys.id;
  return backupLines({
    head: { format: BACKUP_FORMAT, tenant, at: new Date(clock.now()).toISOString(), master },
    streams: {
      heads: { log: transport.heads, pattern: subjects.heads(tenant) },
      log: { log: transport.log, pattern: subjects.logs(tenant) },
    },
    signer: signing,
  });
}
