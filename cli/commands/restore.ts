import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { checkLog, type LogCheck, openVault } from '../../agents/runtime/index.js';
import { type BackupEnd, discardLogs, openTransport, restoreLogs } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { type Config, loadConfig } from '../../shared/config.js';
import { HermesError, invalidParams } from '../../shared/errors.js';
import { isSignedBy, type KeyProvider, publicKeyId } from '../../shared/keys/index.js';
import { systemRandom } from '../../shared/random.js';
import { openMetrics } from '../../shared/telemetry/metrics.js';
import { openLogger } from '../logging.js';
import { openMasterKey } from '../master-key.js';
import { print } from '../output.js';
import { checkBackup, partsOf } from './backup.js';

interface RestoreOptions {
  readonly dataDir: string;
  readonly key?: string;
  readonly json?: boolean;
}

/** `hermes restore`: a data folder out of a backup, opened and checked before it is called one. */
export function restoreCommand(): Command {
  return new Command('restore')
    .description('make a data folder of a backup, and check every record and chain of it')
    .argument('<file>', 'what hermes backup made')
    .requiredOption('--data-dir <folder>', 'where to; it holds nothing, or keys/master.key')
    .option('--key <file>', 'public key (PEM) of the coordinator that made it, to be checked too')
    .option('--json', 'as JSON')
    .action(restore);
}

async function restore(file: string, { dataDir, key, json }: RestoreOptions): Promise<void> {
  if (!existsSync(file))
    throw invalidParams(`there is no file ${file}`, [{ pointer: '/file', problem: 'is not there' }]);
  const { head, end } = await checkBackup(file);
  if (key !== undefined) checkSignature(end, readFileSync(key, 'utf8'));
  const folder = resolve(dataDir);
  const { values } = loadConfig();
  const { keys } = await openMasterKey(values, folder, systemRandom(), { create: false });
  await restoreLogs(folder, partsOf(file));
  const checked = await checkFolder(folder, head.tenant, values, keys);
  if (json) return print({ data_dir: folder, tenant: head.tenant, taken_at: head.at, ...checked });
  print(`${folder}: ${checked.records} records, ${checked.chains} chains, all whole; taken ${head.at}`);
  print(`  next: HERMES_DATA_DIR=${folder} npx hermes up`);
}

function checkSignature({ sha256, key_id, signature }: BackupEnd, pem: string): void {
  const isTheirs = isSignedBy(pem, Buffer.from(sha256, 'hex'), Buffer.from(signature, 'base64'));
  if (isTheirs) return;
  const problem = `was signed by ${key_id}, not by ${publicKeyId(pem)}`;
  throw invalidParams(`the backup ${problem}`, [{ pointer: '/key', problem }]);
}

/** Opens every record and follows every chain; a folder that does not pass is taken away again. */
async function checkFolder(dataDir: string, tenant: string, values: Config, keys: KeyProvider): Promise<LogCheck> {
  const [clock, random, logger] = [systemClock(), systemRandom(), openLogger(values.log_level)];
  const transport = await openTransport('embedded', { dataDir, clock, random, logger, metrics: openMetrics() });
  try {
    const vault = await openVault({ log: transport.log, keys, random }, tenant);
    const check = await checkLog(transport.log, vault, tenant);
    if (check.problems.length === 0) return check;
    throw new HermesError('invalid_params', `the backup does not hold together: ${check.problems.join('; ')}`, {
      suggestion: 'take another copy of it, or an older backup',
    });
  } catch (error) {
    await transport.close();
    await discardLogs(dataDir);
    throw error;
  } finally {
    await transport.close();
  }
}
