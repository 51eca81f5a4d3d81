import { createReadStream, createWriteStream, existsSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { type BackupEnd, type BackupHead, type BackupPart, readBackup } from '../../mcp/transport/index.js';
import { loadConfig } from '../../shared/config.js';
import { invalidParams } from '../../shared/errors.js';
import { createHttpClient } from '../http-client.js';
import { print } from '../output.js';

/** `hermes backup`: the record of a running site as one file. */
export function backupCommand(): Command {
  return new Command('backup')
    .description('the whole record of the running site as one file, checked when it has arrived')
    .requiredOption('-o, --out <file>', 'where to; a file that is there is kept')
    .option('--json', 'as JSON')
    .action(backup);
}

async function backup({ out, json }: { out: string; json?: boolean }): Promise<void> {
  if (existsSync(out))
    throw invalidParams(`${out} is there already`, [{ pointer: '/out', problem: 'is there already' }]);
  const body = await createHttpClient(loadConfig().values.url).stream('/v1/backup');
  try {
    await pipeline(Readable.from(body), createWriteStream(out, { flags: 'wx', mode: 0o600 }));
    const { head, end } = await checkBackup(out);
    if (json) return print({ file: out, ...head, ...end });
    print(`${out}: ${end.records.log} records and ${end.records.heads} signed heads of ${head.tenant}, ${head.at}`);
    print(`  sealed under master key ${head.master}, which is not in it: keep that apart`);
  } catch (error) {
    rmSync(out, { force: true });
    throw error;
  }
}

/** Parts of a backup's file, line by line. The lines of an interface that nobody reads yet are lost: made when read. */
export async function* partsOf(file: string): AsyncGenerator<BackupPart> {
  yield* readBackup(createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }));
}

/** Reads a backup to its end. @throws HermesError `invalid_params` naming the line where it is damaged. */
export async function checkBackup(file: string): Promise<{ head: BackupHead; end: BackupEnd }> {
  let head: BackupHead | undefined;
  let end: BackupEnd | undefined;
  for await (const part of partsOf(file)) {
    if (part.kind === 'head') head = part.head;
    if (part.kind === 'end') end = part.end;
  }
  return { head: head as BackupHead, end: end as BackupEnd };
}
