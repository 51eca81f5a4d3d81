import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  isTypeOnly,
  nameIn,
  nodeIn,
  nodesIn,
  parseModule,
  type SyntaxNode,
  walk,
} from '../../agents/runtime/tools/admission/syntax.js';

export { nameIn, nodeIn, nodesIn, type SyntaxNode, walk };

/** The tree as data for the architecture rules: files, syntax trees, imports. A rule is a function over sources. */
export interface Source {
  /** Relative to the product's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly program: SyntaxNode;
  readonly imports: readonly Import[];
  lineAt(offset: number): number;
}

export interface Import {
  readonly specifier: string;
  /** The file of the product that a relative import means, `.js` read as `.ts` or `.tsx`. */
  readonly target: string | undefined;
  readonly typeOnly: boolean;
  readonly line: number;
}

export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

const IGNORED = new Set(['.git', 'node_modules', 'dist', '.hermes', 'coverage']);

/** Files of the repository; with `untracked`, those not yet added too. A tree without git is walked. */
export function repositoryFiles(untracked = false): string[] {
  const others = untracked ? ['--others', '--exclude-standard'] : [];
  try {
    const listed = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', ...others], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(ROOT, file)));
    if (files.length > 0) return files;
  } catch {
    // no git here: the tree itself is the list
  }
  return walkFolder('');
}

function walkFolder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !IGNORED.has(entry.name))
    .flatMap((entry) => {
      const path = posix.join(folder, entry.name);
      return entry.isDirectory() ? walkFolder(path) : [path];
    });
}

const isSource = (path: string): boolean => /\.tsx?$/.test(path) && !path.endsWith('.d.ts');

/** Every TypeScript file of the repository, parsed. */
export function loadSources(): Source[] {
  const paths = repositoryFiles(true).filter(isSource);
  const known = new Set(paths);
  return paths.map((path) => parseSource(path, readFileSync(join(ROOT, path), 'utf8'), known));
}

/** Parses one text as if it stood at `path`. `known` decides between `.ts` and `.tsx` of an import. */
export function parseSource(path: string, text: string, known: ReadonlySet<string> = new Set()): Source {
  const { program, lineAt } = parseModule(path, text);
  return { path, text, program, imports: importsOf(path, program, known, lineAt), lineAt };
}

function importsOf(
  path: string,
  program: SyntaxNode,
  known: ReadonlySet<string>,
  lineAt: (offset: number) => number,
): Import[] {
  const imports: Import[] = [];
  walk(program, (node) => {
    const from = nodeIn(node, 'source') ?? (node.type === 'TSImportType' ? nodeIn(node, 'argument') : undefined);
    if (from === undefined || typeof from.value !== 'string') return;
    const specifier = from.value;
    const target = resolveImport(path, specifier, known);
    imports.push({ specifier, target, typeOnly: isTypeOnly(node), line: lineAt(node.start) });
  });
  return imports;
}

function resolveImport(path: string, specifier: string, known: ReadonlySet<string>): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const plain = posix.join(posix.dirname(path), specifier);
  if (!/\.jsx?$/.test(plain)) return plain;
  const stem = plain.replace(/\.jsx?$/, '');
  return known.has(`${stem}.tsx`) ? `${stem}.tsx` : `${stem}.ts`;
}

/** Tests, those that an agent or an example brings in its own folder among them. */
export const isTest = (path: string): boolean =>
  path.startsWith('tests/') || /^(agents|examples)\/[^/]+\/[^/]+\.test\.ts$/.test(path);
export const isInside = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** One line a violation, for an assertion against the empty list. */
export function listed(violations: readonly Violation[]): string[] {
  return violations.map(({ path, line, message }) => `${path}:${line} ${message}`);
}
