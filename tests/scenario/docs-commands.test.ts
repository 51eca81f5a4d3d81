import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HermesProcess, startHermes } from '../support/hermes-process.js';

/** What the documents say is what the product does: commands, options, links, paths. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READMES = ['README.md', 'README.zh-CN.md'] as const;
const PAGES = [
  ...READMES,
  ...['ARCHITECTURE.md', 'CONTRIBUTING.md', 'DECISIONS.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const ROOMS = [
  ...['agents/runtime', 'agents/plc', 'agents/scheduling', 'agents/template', 'examples/energy-optimizer'],
  ...['coordinator', 'mcp', 'simulators', 'topology'],
];
const FOLDERS = [
  'agents',
  'cli',
  'coordinator',
  'docs',
  'examples',
  'mcp',
  'shared',
  'simulators',
  'tests',
  'topology',
];

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const fenced = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map((match) => match[1] ?? '');
/** Commands of a page, block by block. */
const blocksOf = (page: string): string[][] =>
  fenced(textOf(page), 'sh').map((block) => block.split('\n').filter((line) => line.trim() !== ''));
/** Runs until it is stopped, or writes into the checkout that the test stands in. */
const isOurs = (line: string): boolean => !/^npm |hermes simulate|hermes new|main\.js up/.test(line);

interface Ran {
  readonly line: string;
  readonly exit: number;
  readonly printed: string;
}

const MARK = '::exit ';
const SOURCES = '--import tsx cli/main.ts';

/** What `npx hermes` is: the built program, or the sources where they are newer (or nothing is built). */
function program(): string {
  const built = join(ROOT, 'dist/cli/main.js');
  if (!existsSync(built)) return SOURCES;
  const age = statSync(built).mtimeMs;
  const sources = FOLDERS.filter((folder) => folder !== 'tests').flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(ROOT, folder, path)),
  );
  return sources.some((path) => statSync(path).mtimeMs > age) ? SOURCES : built;
}

/** Runs a block as one shell would, against the running site, ports replaced. */
async function runBlock(lines: readonly string[], ports: Readonly<Record<string, string>>): Promise<Ran[]> {
  const hermes = `npx() { shift; "${process.execPath}" ${program()} "$@"; }`;
  const script = lines.map((line) => `${line}\nprintf '\\n${MARK}%s\\n' $?`).join('\n');
  const placed = Object.entries(ports).reduce((text, [from, to]) => text.replaceAll(`127.0.0.1:${from}`, to), script);
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    HOME: process.env.HOME ?? '',
    HERMES_URL: `http://${ports['7070']}`,
    HERMES_SIM_URL: `http://${ports['7071']}`,
  };
  const child = spawn('bash', ['-c', `${hermes}\n${placed}`], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  const parts = printed.split(new RegExp(`\\n${MARK}(\\d+)\\n`));
  return lines.map((line, index) => ({ line, printed: parts[index * 2] ?? '', exit: Number(parts[index * 2 + 1]) }));
}

/** `# exits 1: …` behind a command says so; any other succeeds. */
const expectedExit = (line: string): number => Number(/# exits (\d)/.exec(line)?.[1] ?? 0);

/** Every command of the command line by its words: `sim fault`. */
async function commands(): Promise<Map<string, Command>> {
  const found = new Map<string, Command>();
  const add = (command: Command, above: string): void => {
    const name = `${above} ${command.name()}`.trim();
    found.set(name, command);
    for (const inner of command.commands) add(inner, name);
  };
  for (const file of readdirSync(join(ROOT, 'cli/commands'))) {
    const module = (await import(join(ROOT, 'cli/commands', file))) as Record<string, unknown>;
    for (const [name, made] of Object.entries(module)) {
      if (name.endsWith('Command') && typeof made === 'function') add(made() as Command, '');
    }
  }
  return found;
}

const flagsOf = (command: Command): string[] =>
  command.options.flatMap((option) => option.flags.match(/--[a-z-]+/g) ?? []);
const flagsIn = (text: string): string[] => text.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];

describe('the commands of README', () => {
  let site: HermesProcess;
  let ports: Record<string, string> = {};
  const folder = mkdtempSync(join(tmpdir(), 'hermes-docs-'));
  beforeAll(async () => {
    site = startHermes(['up', '--port', '0', '--sim-port', '0', '--data-dir', folder]);
    const [, page = ''] = await site.find(/page {5}http:\/\/(\S+)/);
    const [, simulators = ''] = await site.find(/frames: http:\/\/([^/\s]+)\/sim/);
    ports = { '7070': page, '7071': simulators };
  });
  afterAll(async () => {
    await site.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  });

  test('are the same in both languages', () => {
    expect(blocksOf('README.zh-CN.md')).toEqual(blocksOf('README.md'));
    expect(blocksOf('README.md').length).toBeGreaterThan(5);
  });

  test('do what README says, one after another on a fresh site', { timeout: 90_000 }, async () => {
    const ran: Ran[] = [];
    for (const block of blocksOf('README.md')) {
      if (block.every(isOurs)) ran.push(...(await runBlock(block, ports)));
    }
    for (const { line, exit, printed } of ran) expect(exit, `${line}\n${printed}`).toBe(expectedExit(line));
    const goal = JSON.parse(ran.find(({ line }) => line.includes('/v1/goals?wait'))?.printed ?? '') as {
      readonly state: string;
      readonly answer: { readonly text: string };
      readonly plan: { readonly steps: readonly { readonly method: string; readonly state: string }[] };
    };
    expect([goal.state, ...goal.plan.steps.map(({ method, state }) => `${method} ${state}`)]).toEqual([
      'completed',
      ...['get_device_status completed', 'restart_device completed', 'notify completed'],
    ]);
    const shown = (text: string): string => text.replace(/\d+ 毫秒/, '… 毫秒');
    for (const page of READMES) expect(shown(textOf(page))).toContain(shown(goal.answer.text));
    for (const { line, printed } of ran) {
      if (line.includes('--follow')) expect(textOf('README.md')).toContain(printed.trim().split('\n').at(-2));
      if (line.includes('/v1/audit')) expect(printed).toMatch(/"kind":"started".*"kind":"finished"/);
      if (line.includes('/v1/memory')) expect(printed).toContain('"scope":"device_PLC-007"');
      if (line.includes('/sim/frames')) expect(printed).toContain('"fc":6,"address":100');
      if (line.includes('trace')) expect(printed).toContain('get_device_status');
      if (line.includes('sim mail')) expect(printed).toContain('zhang@x-lab.example');
      const said = /# exits 1: (There is no .*)/.exec(line)?.[1];
      if (said) expect(printed).toContain(said);
    }
  });
});

describe('the command line and its page', () => {
  test('docs/cli.md has every command and option of --help, and no other', async () => {
    const sections = textOf('docs/cli.md').split(/^## hermes /m);
    const all = await commands();
    expect(all.size).toBeGreaterThan(8);
    for (const [name, command] of all) {
      const section = sections.find((text) => new RegExp(`^${name.split(' ')[0]}\\b`).test(text)) ?? '';
      if (command.commands.length === 0) expect(`hermes ${section}`, `hermes ${name}`).toContain(`hermes ${name}`);
      for (const flag of flagsOf(command)) expect(flagsIn(section), `hermes ${name} ${flag}`).toContain(flag);
    }
    const known = new Set([...[...all.values()].flatMap(flagsOf), '--help', '--version']);
    expect(flagsIn(textOf('docs/cli.md')).filter((flag) => !known.has(flag))).toEqual([]);
  });

  test('commands anywhere in the documents exist, with their options', async () => {
    const all = await commands();
    const lines = PAGES.flatMap((page) => [...fenced(textOf(page), '(?:sh)?')].flatMap((block) => block.split('\n')));
    const written = lines.flatMap((line) => /(?:npx hermes|main\.js|^hermes) ([a-z].*)/.exec(line.trim())?.[1] ?? []);
    expect(written.length).toBeGreaterThan(10);
    for (const text of written) {
      const words = text.split(' ');
      const command = all.get(words.slice(0, 2).join(' ')) ?? all.get(words[0] ?? '');
      expect(command, text).toBeDefined();
      const options = flagsIn(text.replace(/".*"|'.*'|\|.*/g, ''));
      if (command) expect(flagsOf(command), text).toEqual(expect.arrayContaining(options));
    }
  });

  test('scripts that the documents name are scripts of the package', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const named = PAGES.flatMap((page) => [...textOf(page).matchAll(/npm (?:run ([a-z][a-z:-]*)|(start|test)\b)/g)]);
    const names = [...new Set(named.map(([, run, short]) => run ?? short ?? ''))];
    expect(names).toEqual(expect.arrayContaining(['start', 'test']));
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });
});

/** Anchor of a heading as code hosts make it. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

describe('what the documents point at', () => {
  test.each([...PAGES, ...ROOMS.map((room) => `${room}/README.md`)])('links of %s lead somewhere', (page) => {
    const dead = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [path = '', hash] = target.split('#');
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, file))) return [target];
      const headings = [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchor(heading));
      return hash === undefined || headings.includes(hash) ? [] : [target];
    });
    expect(dead).toEqual([]);
  });

  test.each(PAGES)('paths that %s names exist', (page) => {
    const prose = textOf(page).replace(/^```[\s\S]*?^```$/gm, '');
    const paths = [...prose.matchAll(/`([A-Za-z][\w.-]*(?:\/[\w.-]*)+)`/g)].map(([, path = '']) => path);
    const ours = paths.filter((path) => FOLDERS.includes(path.split('/')[0] ?? ''));
    expect(ours.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('every variable and default of README’s table is that of the configuration', async () => {
    const { CONFIG } = await import('../../shared/config.js');
    for (const page of READMES) {
      const rows = [...textOf(page).matchAll(/^\| `(\w+)` +\| `(\w+)` +\| (.*?) +\|/gm)];
      expect(rows.map(([, key, env]) => [key, env])).toEqual(
        Object.entries(CONFIG).map(([key, { env }]) => [key, env]),
      );
      for (const [, key = '', , shown = ''] of rows) {
        const row = CONFIG[key as keyof typeof CONFIG];
        if ('default' in row) expect(shown).toContain(String(row.default));
      }
    }
  });
});
