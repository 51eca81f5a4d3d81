import { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { type AuditFinding, type AuditVerdict, signerOf, verifyPackage } from '../../agents/runtime/index.js';
import { HermesError } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { type AuditRow, type AuditWish, withAuditSource } from '../audit-source.js';
import { print, table } from '../output.js';

interface Where {
  readonly component?: string;
  readonly from?: string;
  readonly to?: string;
  readonly dataDir?: string;
  readonly json?: boolean;
}
interface ShowOptions extends Where {
  readonly principal?: string;
  readonly goal?: string;
  readonly outcome?: string;
  readonly limit?: string;
}
interface ExportOptions extends Where {
  readonly scope: string;
  readonly out: string;
}

/** `hermes audit show|export|verify`: what was done, as a list, as one signed file, and whether such a file is true. */
export function auditCommand(): Command {
  const command = new Command('audit').description('the record: show it, export it, verify an export');
  where(command.command('show').description('entries of a scope').argument('<scope>', 'for example device_PLC-007'))
    .option('--principal <id>', 'for whom')
    .option('--goal <id>', 'of one goal')
    .option('--outcome <outcome>', 'confirmed, failed or unknown')
    .option('--limit <n>', 'at most so many', '200')
    .action(show);
  where(command.command('export').description('the record of a scope as one signed file'))
    .requiredOption('--scope <scope>', 'for example device_PLC-007')
    .requiredOption('-o, --out <file>', 'where to; a file that is there is kept')
    .action(exportPackage);
  command
    .command('verify')
    .description('whether a file is what the holder of a key signed; needs nothing but the two')
    .argument('<file>', 'an export')
    .requiredOption('--key <file>', 'public key (PEM) of the component; again for those who countersigned', collect, [])
    .option('--json', 'as JSON')
    .action(verify);
  return command;
}

const where = (command: Command): Command =>
  command
    .option('--from <time>', 'not before: Unix milliseconds or ISO 8601')
    .option('--to <time>', 'not after')
    .option('--component <name>', 'whose record; default: the home of the scope')
    .option('--data-dir <folder>', 'read the folder of a Hermes that is stopped')
    .option('--json', 'as JSON');

const collect = (file: string, before: readonly string[]): readonly string[] => [...before, file];

async function show(scope: string, { dataDir, json, limit = '200', ...filter }: ShowOptions): Promise<void> {
  const wanted = Number(limit);
  const entries = await withAuditSource(dataDir, { scope, ...filter }, async (source) => {
    const found: AuditRow[] = [];
    let next: number | undefined = 1;
    while (next !== undefined && found.length < wanted) {
      const rows = String(Math.min(wanted - found.length, LIMITS.pageRows));
      const wish: AuditWish = { scope, ...filter, from_n: String(next), limit: rows };
      const page = await source.page(wish);
      found.push(...page.entries);
      next = page.next;
    }
    return found;
  });
  if (json) return print({ entries });
  const rows = entries.map((entry) => [
    String(entry.n),
    new Date(entry.at).toISOString(),
    entry.kind,
    entry.tool?.name ?? '',
    entry.outcome ?? '',
    entry.principal?.id ?? '',
    entry.goal_id ?? '',
    entry.hash.slice(0, 12),
  ]);
  print(table([['n', 'at', 'kind', 'tool', 'outcome', 'principal', 'goal', 'hash'], ...rows]));
}

async function exportPackage({ dataDir, out, json, ...wish }: ExportOptions): Promise<void> {
  const bytes = await withAuditSource(dataDir, wish, (source) => source.package(wish));
  try {
    writeFileSync(out, bytes, { flag: 'wx' });
  } catch (cause) {
    const problem = (cause as { code?: string }).code === 'EEXIST' ? 'is there already' : 'cannot be written';
    throw new HermesError(
      'invalid_params',
      `${out} ${problem}`,
      { fields: [{ pointer: '--out', problem }], suggestion: 'name another file' },
      { cause },
    );
  }
  const told = { file: out, bytes: bytes.byteLength };
  print(json ? told : `${out}: ${bytes.byteLength} bytes; hermes audit verify ${out} --key <component>.pub.pem`);
}

function verify(file: string, { key, json }: { readonly key: readonly string[]; readonly json?: boolean }): void {
  const [signer, ...others] = signerOf(key.map((path) => Buffer.from(read(path, '--key', KEY_BYTES)).toString('utf8')));
  const verdict = verifyPackage(read(file, '<file>', LIMITS.auditExportBytes + 1), signer, others);
  if (!verdict.ok) process.exitCode = 1;
  print(json ? verdict : told(file, verdict));
}

const KEY_BYTES = 65_536;

/** The first bytes of a file: a verifier is given anything. @throws HermesError `not_found` */
function read(path: string, pointer: string, most: number): Uint8Array {
  try {
    const handle = openSync(path, 'r');
    try {
      const status = fstatSync(handle);
      if (!status.isFile() || status.size <= most) return readFileSync(handle);
      const bytes = Buffer.alloc(most);
      return bytes.subarray(0, readSync(handle, bytes, 0, most, 0));
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'cannot be read';
    throw new HermesError(
      'not_found',
      `${path} cannot be read`,
      { fields: [{ pointer, problem }], suggestion: 'public keys are in <data dir>/keys/<component>.pub.pem' },
      { cause },
    );
  }
}

function told(file: string, { ok, about, head, entries, key, findings, countersignatures }: AuditVerdict): string {
  const lines = [ok ? `${file}: nothing is wrong` : `${file}: NOT as it was signed`];
  lines.push(...findings.map((finding) => `  ${placeOf(finding)}: ${finding.problem}`));
  if (about && head) {
    const { after, last_n } = about.range;
    lines.push(
      `  scope     ${about.scope} of ${about.component}, tenant ${about.tenant}`,
      `  entries   ${entries}: ${after.n + 1} to ${last_n}; the newest when it was signed was ${head.n}`,
      `  exported  ${new Date(about.exported_at).toISOString()} for ${about.exported_for}`,
    );
  }
  lines.push(`  key       ${key}`);
  lines.push(...countersignatures.map(({ by, key: of, state }) => `  countersigned by ${by} (${of}): ${state}`));
  return lines.join('\n');
}

function placeOf({ part, index, n, seq }: AuditFinding): string {
  if (part === 'entries' && n !== undefined) return `entry ${n}${seq === undefined ? '' : ` (sequence ${seq})`}`;
  return index === undefined ? part : `${part} ${index + 1}`;
}
