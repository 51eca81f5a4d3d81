import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  fileProblems,
  LOCK_FILE,
  type ScanFinding,
  type ShippedFiles,
  type SourceReader,
  scanSources,
  toolLockSchema,
} from '../../agents/runtime/index.js';

/** Root of the product, sources or what was built of them. */
const PRODUCT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Files of the product that a tool may use: they bring no I/O, time or chance. */
const GIVEN = new Set([
  'agents/runtime/index',
  ...['device', 'edit-distance', 'errors', 'limits', 'model-text', 'outcome', 'site'].map((name) => `shared/${name}`),
]);

/** The modules of one agent as they lie on the disk, read once. */
export interface AgentSources {
  readonly folder: string;
  readonly findings: readonly ScanFinding[];
  /** By their paths from the folder. */
  readonly files: ShippedFiles;
}

/** Reads every module that an agent's entry reaches, and scans it. Nothing of it is run. */
export function readAgent(entry: string): AgentSources {
  const folder = dirname(entry);
  const texts = new Map<string, Uint8Array>();
  const reader: SourceReader = {
    read(path) {
      if (!existsSync(path)) return undefined;
      const bytes = readFileSync(path);
      texts.set(path, bytes);
      return bytes.toString('utf8');
    },
    resolve(from, specifier) {
      if (!specifier.startsWith('.') && !specifier.startsWith('/')) return { kind: 'outside' };
      const path = moduleAt(resolve(dirname(from), specifier));
      if (isInside(path, folder)) return { kind: 'own', path };
      const part = relative(PRODUCT, path).split(sep);
      if (GIVEN.has(part.join('/').replace(/\.[jt]s$/, ''))) return { kind: 'given' };
      const isAgent = part[0] === 'agents' && part[1] !== 'runtime' && part[1] !== 'drivers';
      return isAgent ? { kind: 'own', path } : { kind: 'outside' };
    },
  };
  const { findings } = scanSources(entry, reader);
  const files = new Map([...texts].map(([path, bytes]) => [relative(folder, path).split(sep).join('/'), bytes]));
  return { folder, findings: findings.map((one) => ({ ...one, file: relative(PRODUCT, one.file) })), files };
}

/** Sources say `.js` for what lies there as `.ts`. */
function moduleAt(path: string): string {
  const source = path.replace(/\.js$/, '.ts');
  return existsSync(source) ? source : path;
}

const isInside = (path: string, folder: string): boolean => path.startsWith(`${folder}${sep}`);

/** The lock of an agent and what keeps its files from being what was signed. */
export function readLock({ folder, files }: AgentSources, known: readonly string[]) {
  const path = join(folder, LOCK_FILE);
  if (!existsSync(path)) return { problems: [`${LOCK_FILE} is not there: nobody signed these tools`] };
  const parsed = toolLockSchema.safeParse(jsonIn(path));
  if (!parsed.success) return { problems: [`${LOCK_FILE} is no lock file`] };
  return { lock: parsed.data, problems: fileProblems(parsed.data, files, known) };
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
