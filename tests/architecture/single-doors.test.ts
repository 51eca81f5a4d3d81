import { expect, test } from 'vitest';
import {
  isInside,
  isTest,
  listed,
  loadSources,
  nameIn,
  parseSource,
  type Source,
  type Violation,
  walk,
} from '../support/arch-source.js';

interface Door {
  readonly what: RegExp;
  /** Folders or files that may. Empty: nobody. */
  readonly doors: readonly string[];
  readonly instead: string;
}

/** Who may import which package. One door each, so that a library can be changed in one place. */
const PACKAGES: readonly Door[] = [
  {
    what: /^@nats-io\//,
    doors: ['mcp/transport/nats', 'bench'],
    instead: 'the Bus, Log and Liveness contracts of mcp/transport',
  },
  {
    what: /^(level|classic-level)$/,
    // The bench measures the product against the bare store.
    doors: ['mcp/transport/embedded', 'bench/memory.ts'],
    instead: 'the Store contract of mcp/transport',
  },
  { what: /^modbus-serial$/, doors: ['agents/drivers/modbus'], instead: 'the DeviceDriver contract' },
  { what: /^nodemailer(\/|$)/, doors: ['agents/drivers/smtp'], instead: 'the mail sender of agents/drivers' },
  { what: /^smtp-server$/, doors: ['simulators'], instead: 'the mail receiver of simulators' },
  {
    what: /^(fastify|fastify-.*|@fastify\/.*)$/,
    doors: ['coordinator/http', 'simulators'],
    instead: 'a route in coordinator/http',
  },
  { what: /^pino(-.*)?$/, doors: ['cli'], instead: 'the Logger handed in (shared/telemetry/logger.ts)' },
  {
    what: /^@opentelemetry\/api$/,
    doors: ['shared/telemetry', 'cli'],
    instead: 'the doors of shared/telemetry',
  },
  {
    what: /^@opentelemetry\/(?!api$)/,
    doors: ['cli', 'bench'],
    instead: 'the doors of shared/telemetry; the SDK is set up in cli',
  },
  { what: /^commander$/, doors: ['cli'], instead: 'a command in cli/commands' },
  {
    what: /^(react|react-dom|vite|@vitejs\/.*)(\/|$)/,
    doors: ['coordinator/console'],
    instead: 'nothing: the page alone',
  },
  {
    what: /^(vitest|fast-check|playwright-core|typescript|@biomejs\/.*)(\/|$)/,
    doors: ['bench', 'vitest.config.ts'],
    instead: 'nothing: test tools stay in tests',
  },
  { what: /^oxc-parser$/, doors: ['agents/runtime/tools/admission'], instead: 'the scan of tools' },
  { what: /^esbuild$/, doors: ['topology/sandbox'], instead: 'the sandbox of tools' },
  {
    what: /^(node:)?(net|tls|dgram|dns|http|https|http2)(\/|$)/,
    doors: ['simulators', 'agents/drivers', 'topology/sandbox/guard.ts', 'bench'], // the guard takes it out
    instead: 'a driver, or the Bus',
  },
  {
    what: /^(node:)?child_process(\/|$)/,
    doors: ['topology/child-process.ts', 'bench'], // nats-server of a factory or a site, and a site's processes
    instead: 'startChild of topology/child-process.ts',
  },
  {
    what: /^(node:)?worker_threads(\/|$)/,
    doors: ['mcp/transport/nats'],
    instead: 'asynchronous work; the liveness thread is the only one',
  },
  {
    what: /^(node:)?(cluster|vm|inspector|v8)(\/|$)/,
    doors: ['bench'],
    instead: 'a process is started from outside; ask before you add a door',
  },
  { what: /^(node:)?(timers|perf_hooks)(\/|$)/, doors: ['shared/clock.ts'], instead: 'the Clock handed in' },
  {
    what: /^(node:)?fs(\/|$)/,
    doors: [
      'shared/config.ts', // reads the configuration file
      'shared/keys', // the key file provider
      'mcp/transport/embedded', // the embedded log and its data directory
      'coordinator/http/server.ts', // is the page built? decides whether to serve it
      'topology/yaml-file.ts', // reads the site file and its playbooks
      'topology/load-agents.ts', // is a module there, and is it built?
      'topology/admission', // agents' sources and their locks
      'topology/sandbox', // a private folder for what the child may read
      'topology/nats-server.ts', // configuration, store and ports of a nats-server that we start
      'topology/start-factory.ts', // a private temporary data directory for each factory
      'cli', // paths and data directories that a person names
      'bench', // private directories, the broker's configuration, figures as JSON
    ],
    instead: 'the Store or Log contract, or a value handed in by the cli',
  },
];

const ENVIRONMENT: Door = {
  what: /^process\.env$/,
  doors: ['shared/config.ts', 'topology/sandbox/guard.ts', 'bench', 'vitest.config.ts'], // the guard takes it out
  instead: 'loadConfig() of shared/config.ts and hand the value in',
};
const SUBJECTS: Door = {
  // hermes.<tenant>.<kind>…; two words (hermes.yaml, a key of the browser's storage) are no subject
  what: /^hermes\.($|[>*]|[^.\s]+\.[^\s]*$)/,
  doors: ['mcp/protocol/subjects.ts', 'shared/telemetry/metrics.ts', 'bench'],
  instead: 'a function of mcp/protocol/subjects.ts',
};

const mayUse = (path: string, { doors }: Door): boolean => isTest(path) || doors.some((door) => isInside(path, door));

function packageViolations(sources: readonly Source[]): Violation[] {
  return sources.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier, line }) =>
      PACKAGES.filter((door) => door.what.test(specifier) && !mayUse(path, door)).map((door) => ({
        path,
        line,
        message: `'${specifier}' belongs to ${door.doors.join(', ') || 'nobody'}: use ${door.instead}`,
      })),
    ),
  );
}

function wordViolations(sources: readonly Source[]): Violation[] {
  return sources.flatMap((source) => {
    const found: Violation[] = [];
    const check = (door: Door, word: string, start: number): void => {
      if (!door.what.test(word) || mayUse(source.path, door)) return;
      found.push({ path: source.path, line: source.lineAt(start), message: `'${word}': use ${door.instead}` });
    };
    walk(source.program, (node) => {
      if (node.type === 'Literal' && typeof node.value === 'string') check(SUBJECTS, node.value, node.start);
      if (node.type === 'TemplateElement')
        check(SUBJECTS, (node.value as { cooked?: string }).cooked ?? '', node.start);
      if (node.type === 'MemberExpression' && nameIn(node, 'object') === 'process')
        check(ENVIRONMENT, `process.${nameIn(node, 'property') ?? 'env'}`, node.start);
      if (node.type === 'VariableDeclarator' && nameIn(node, 'init') === 'process')
        check(ENVIRONMENT, 'process.env', node.start);
    });
    for (const { specifier, line } of source.imports)
      if (/^(node:)?process$/.test(specifier) && !mayUse(source.path, ENVIRONMENT))
        found.push({ path: source.path, line, message: `'${specifier}': use ${ENVIRONMENT.instead}` });
    return found;
  });
}

const sources = loadSources();

test('every library and every dangerous built-in has one door', () => {
  expect(listed(packageViolations(sources))).toEqual([]);
});

test('the environment is read in config.ts and subjects are written in subjects.ts', () => {
  expect(listed(wordViolations(sources))).toEqual([]);
});

test.each(['@nats-io/kv', 'level', 'fastify', '@fastify/static', 'pino', 'node:net', 'node:fs/promises', 'commander'])(
  'an import of %s in a tool is caught, static or dynamic',
  (specifier) => {
    const text = `import a from '${specifier}'; export const b = await import('${specifier}');`;
    expect(packageViolations([parseSource('agents/plc/tools/a.ts', text)])).toHaveLength(2);
  },
);

test('a tool that reads the environment or writes a subject is caught', () => {
  const texts = [
    'export const a = process.env.HOME;',
    "export const a = process['env'];",
    'const { env } = process; export const a = env;',
    "import { env } from 'node:process'; export const a = env;",
    "export const a = 'hermes.req.plc';",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the planted source text
    'export const a = (b: string) => `hermes.evt.${b}`;',
  ];
  for (const text of texts) expect(wordViolations([parseSource('agents/plc/a.ts', text)]), text).toHaveLength(1);
});
