import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunSummary } from './support/summary-reporter.js';

/**
 * `npm test`: lint, types and every suite, one after another, then a table and the plain line `N passed, N failed`.
 * `--quick` runs what needs no network and no browser; names of suites run only those. Exit 1 when anything failed.
 */
interface Suite {
  readonly name: string;
  /** Seconds on two cores; a slower run is marked, not failed. Lint to unit share the 90 s of static and unit. */
  readonly budget: number;
  readonly quick?: boolean;
  readonly needs?: readonly Need[];
}

/** A program from Debian that a suite cannot do without. */
interface Need {
  readonly what: string;
  readonly present: () => boolean;
  readonly aptPackage: string;
}

interface Row {
  readonly name: string;
  readonly budget: number;
  readonly seconds: number;
  readonly tests: string;
  readonly summary: RunSummary;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const bin = (name: string): string => join(ROOT, 'node_modules', '.bin', name);

const chromium: Need = {
  what: 'Chromium at /usr/bin/chromium',
  present: () => existsSync('/usr/bin/chromium'),
  aptPackage: 'chromium',
};
const pymodbus: Need = {
  what: 'pymodbus for Debian’s /usr/bin/python3',
  present: () => spawnSync('/usr/bin/python3', ['-c', 'import pymodbus.client'], { stdio: 'ignore' }).status === 0,
  aptPackage: 'python3-pymodbus python3-serial-asyncio',
};
const softHsm: Need = {
  what: 'softhsm2-util on the PATH',
  present: () => spawnSync('softhsm2-util', ['--version'], { stdio: 'ignore' }).status === 0,
  aptPackage: 'softhsm2',
};
const natsServer: Need = {
  what: 'nats-server on the PATH',
  present: () => spawnSync('nats-server', ['--version'], { stdio: 'ignore' }).status === 0,
  aptPackage: 'nats-server',
};

const STATIC: readonly (Suite & { readonly command: readonly string[] })[] = [
  { name: 'lint', budget: 10, quick: true, command: [bin('biome'), 'ci', '.'] },
  { name: 'types', budget: 20, quick: true, command: [bin('tsc'), '--noEmit'] },
];
const SUITES: readonly Suite[] = [
  { name: 'architecture', budget: 20, quick: true },
  { name: 'unit', budget: 40, quick: true },
  { name: 'contract', budget: 90, needs: [natsServer, softHsm] },
  { name: 'network', budget: 240, needs: [natsServer] },
  { name: 'scenario', budget: 120 },
  { name: 'simulation', budget: 30 },
  { name: 'property', budget: 60 },
  { name: 'browser', budget: 60, needs: [chromium] },
  { name: 'interop', budget: 30, needs: [pymodbus] },
];
/** Folders of tests/ that hold no suite. */
const NO_SUITES = new Set(['support', 'corpus']);
const FAILED: RunSummary = { passed: 0, failed: 1, skipped: [] };

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function timed(suite: Suite, work: () => Pick<Row, 'tests' | 'summary'>): Row {
  say(`\n── ${suite.name}`);
  const began = performance.now();
  const result = work();
  return { name: suite.name, budget: suite.budget, seconds: (performance.now() - began) / 1_000, ...result };
}

function runStatic(suite: (typeof STATIC)[number]): Row {
  return timed(suite, () => {
    const [program = '', ...args] = suite.command;
    const { status } = spawnSync(program, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    if (status === 0) return { tests: 'clean', summary: { passed: 0, failed: 0, skipped: [] } };
    return { tests: 'FAILED', summary: FAILED };
  });
}

function runSuite(suite: Suite, folder: string): Row {
  return timed(suite, () => {
    const missing = (suite.needs ?? []).filter((need) => !provide(need));
    for (const { what, aptPackage } of missing) say(`${suite.name} needs ${what}: apt-get install -y ${aptPackage}`);
    if (missing.length > 0) return { tests: 'not run', summary: FAILED };
    const file = join(folder, `${suite.name}.json`);
    const { status } = spawnSync(bin('vitest'), ['run', '--project', suite.name], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, TEST_SUMMARY_FILE: file },
    });
    const written = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunSummary) : FAILED;
    // Vitest may refuse a run although no test failed: that is a failure too.
    const summary = status !== 0 && written.failed === 0 ? { ...written, failed: 1 } : written;
    return { tests: String(summary.passed + summary.failed + summary.skipped.length), summary };
  });
}

/** There already, or installed now. */
function provide(need: Need): boolean {
  if (need.present()) return true;
  if (process.getuid?.() !== 0) return false;
  const install = `apt-get install -y --no-install-recommends ${need.aptPackage}`;
  spawnSync('sh', ['-c', `${install} || { apt-get update && ${install}; }`], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return need.present();
}

const hasTests = (suite: string): boolean => {
  const folder = join(ROOT, 'tests', suite);
  return (
    existsSync(folder) && readdirSync(folder, { recursive: true }).some((file) => /\.test\.ts$/.test(String(file)))
  );
};

/** A folder with tests that no row of SUITES runs would be skipped in silence. */
function strayFolders(): string[] {
  const known = new Set([...SUITES.map(({ name }) => name), ...NO_SUITES]);
  return readdirSync(join(ROOT, 'tests'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !known.has(entry.name) && hasTests(entry.name))
    .map(({ name }) => name);
}

function printTable(rows: readonly Row[]): void {
  const cells = rows.map((row) => {
    const over = row.seconds > row.budget ? '  over budget' : '';
    const failed = row.summary.failed > 0 ? `  ${row.summary.failed} failed` : '';
    return [row.name, row.tests, row.seconds.toFixed(1), `${row.budget}${over}${failed}`];
  });
  const all = [['suite', 'tests', 'seconds', 'budget'], ...cells];
  const width = (column: number): number => Math.max(...all.map((row) => row[column]?.length ?? 0));
  say('');
  for (const [name = '', tests = '', seconds = '', budget = ''] of all)
    say(`${name.padEnd(width(0))} | ${tests.padStart(width(1))} | ${seconds.padStart(width(2))} | ${budget}`);
}

function main(wanted: readonly string[]): number {
  const quick = wanted.includes('--quick');
  const names = wanted.filter((word) => !word.startsWith('--'));
  const unknown = names.filter((name) => ![...STATIC, ...SUITES].some((suite) => suite.name === name));
  if (unknown.length > 0) {
    say(`no such suite: ${unknown.join(', ')}; there are ${[...STATIC, ...SUITES].map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const chosen = (suite: Suite): boolean =>
    names.length > 0 ? names.includes(suite.name) : !quick || suite.quick === true;
  const folder = mkdtempSync(join(tmpdir(), 'hermes-tests-'));
  const suites = SUITES.filter(chosen);
  const rows = [
    ...STATIC.filter(chosen).map(runStatic),
    ...suites.filter(({ name }) => hasTests(name)).map((suite) => runSuite(suite, folder)),
  ];
  rmSync(folder, { recursive: true, force: true });
  printTable(rows);
  const strays = strayFolders();
  for (const stray of strays) say(`tests/${stray} is no suite of tests/run-all.ts: add a row`);
  const empty = suites.filter(({ name }) => !hasTests(name)).map(({ name }) => name);
  if (empty.length > 0) say(`suites without a test yet: ${empty.join(', ')}`);
  const skipped = rows.flatMap(({ summary }) => summary.skipped);
  for (const { name, reason } of skipped) say(`skipped: ${name}: ${reason}`);
  const passed = rows.reduce((sum, { summary }) => sum + summary.passed, 0);
  const failed = rows.reduce((sum, { summary }) => sum + summary.failed, strays.length);
  say(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
