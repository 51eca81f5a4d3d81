import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { listed, repositoryFiles, type Violation } from '../support/arch-source.js';

/** What may stand at the top. A new folder is a decision: argue it in DECISIONS.md, then add it here. */
const FOLDERS = new Set([
  'agents',
  'coordinator',
  'mcp',
  'shared',
  'topology',
  'simulators',
  'tests',
  'cli',
  'bench',
  'docs',
  'deploy',
  'examples',
  '.ci',
]);
const FILES = new Set([
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'biome.json',
  'vitest.config.ts',
  '.npmrc',
  '.nvmrc',
  '.gitignore',
  '.gitattributes',
  '.dockerignore',
  '.editorconfig',
  'README.md',
  'README.zh-CN.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'DECISIONS.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'LICENSE',
  'NOTICE',
]);
const EMPTY_NAMES = /^(utils?|helpers?|types?|common|misc|impl|.*-impl|.*-\d+)$/;

function treeViolations(paths: readonly string[]): Violation[] {
  return paths.flatMap((path) => {
    const at = (message: string): Violation[] => [{ path, line: 1, message }];
    const [top = '', ...rest] = path.split('/');
    if (rest.length > 0 ? !FOLDERS.has(top) : !FILES.has(top))
      return at('stands outside the house: put it into one of its rooms (shared, mcp, agents, coordinator, …)');
    if (rest.length > 0 && ['package.json', 'tsconfig.json'].includes(basename(path)))
      return at('a second package.json or tsconfig.json: the one at the root covers everything');
    if (!/\.tsx?$/.test(path)) return [];
    const name = basename(path).replace(/\.(test|config)?\.?tsx?$/, '');
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return at('a file name is kebab-case, the words of its main export');
    if (EMPTY_NAMES.test(name)) return at('the name says nothing: name the concept the file holds');
    return [];
  });
}

test('every file stands in a room of the house and its name says what it is', () => {
  expect(listed(treeViolations(repositoryFiles()))).toEqual([]);
});

test('a stray folder, a stray root file, an empty name and a second package.json are caught', () => {
  const planted = ['lib/a.ts', 'notes.txt', 'shared/utils.ts', 'mcp/Caller.ts', 'mcp/package.json', 'mcp/part-2.ts'];
  expect(treeViolations(planted).map(({ path }) => path)).toEqual(planted);
});
