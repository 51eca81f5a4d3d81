import { expect, test } from 'vitest';
import {
  isInside,
  isTest,
  listed,
  loadSources,
  nameIn,
  nodeIn,
  nodesIn,
  parseSource,
  type Source,
  type SyntaxNode,
  type Violation,
  walk,
} from '../support/arch-source.js';

interface Ban {
  readonly doors: readonly string[];
  readonly instead: string;
}

const CLOCK: Ban = {
  doors: ['shared/clock.ts', 'coordinator/console/src/browser-clock.ts', 'bench'],
  instead: 'the Clock handed in (shared/clock.ts; browser-clock.ts in the page)',
};
/** The virtual clock lets real I/O of a test settle between two virtual instants. */
const TURN: Ban = { ...CLOCK, doors: [...CLOCK.doors, 'shared/virtual-clock.ts'] };
/** Messages to a real broker leave when no promise is left to go on. */
const TICK: Ban = { ...CLOCK, doors: [...CLOCK.doors, 'mcp/transport/nats/outbox.ts'] };
const CHANCE: Ban = {
  doors: ['shared/random.ts', 'coordinator/console/src/browser-clock.ts'],
  instead: 'the Random handed in (shared/random.ts), or an id maker of shared/ids.ts',
};
const DEADLINE: Ban = { doors: [], instead: 'a Deadline of shared/deadline.ts, which runs on the Clock handed in' };
const NETWORK: Ban = {
  doors: [
    'cli/http-client.ts', // the command line speaks to a running factory
    'coordinator/console/src/api.ts', // the page speaks to its own origin
    'topology/sim-addresses.ts', // asks running simulators which ports they took
    'bench',
  ],
  instead: 'the Bus, or a driver: a call over HTTP has no deadline, no id and no record',
};

/** Names that are global functions, or that mean the same wherever they are imported from. */
const NAMES: Readonly<Record<string, Ban>> = {
  setTimeout: CLOCK,
  setInterval: CLOCK,
  setImmediate: TURN,
  queueMicrotask: CLOCK,
  requestAnimationFrame: CLOCK,
  randomUUID: CHANCE,
  randomBytes: CHANCE,
  randomInt: CHANCE,
  getRandomValues: CHANCE,
  fetch: NETWORK,
};
/** Members of global objects. */
const MEMBERS: Readonly<Record<string, Ban>> = {
  'Date.now': CLOCK,
  'Math.random': CHANCE,
  'performance.now': CLOCK,
  'performance.timeOrigin': CLOCK,
  'process.hrtime': CLOCK,
  'process.uptime': CLOCK,
  'process.nextTick': TICK,
  'AbortSignal.timeout': DEADLINE,
};
/** Tests in which real time is the promise itself. */
const REAL_TIME: readonly { path: string; sleeps: number; reason: string }[] = [
  { path: 'tests/scenario/processes.test.ts', sleeps: 1, reason: 'kill -9 at a given instant after acceptance' },
];
/** A test waits for what it waits for, never for time to pass. A timer that ends a hung wait is no sleep. */
const SLEEPS = new Set(['setTimeout', 'setInterval', 'waitForTimeout']);
const NO_SLEEP = 'virtual time (shared/virtual-clock.ts), or wait for the thing itself (vi.waitFor, an event)';
const GLOBALS = new Set(['globalThis', 'window', 'self', 'global', 'crypto', 'timers', 'webcrypto']);

function callViolations(sources: readonly Source[]): Violation[] {
  return sources.flatMap((source) => {
    const found = new Map<number, Violation>();
    walk(source.program, (node, parents) => {
      const word = isTest(source.path) && isGuard(source, parents.at(-1)) ? undefined : bannedWord(node, parents);
      const message = word && judge(source.path, word);
      if (message) found.set(node.start, { path: source.path, line: source.lineAt(node.start), message });
    });
    const allowed = REAL_TIME.find(({ path }) => path === source.path)?.sleeps ?? 0;
    return [...found.values()].slice(allowed);
  });
}

/** `setTimeout(() => reject(…), ms)`: the wait itself ends earlier. */
function isGuard(source: Source, call: SyntaxNode | undefined): boolean {
  if (call?.type !== 'CallExpression' || nameIn(call, 'callee') !== 'setTimeout') return false;
  const [callback] = nodesIn(call, 'arguments');
  const isFunction = callback?.type === 'ArrowFunctionExpression' || callback?.type === 'FunctionExpression';
  return isFunction && /\b(reject|kill|abort)\(/.test(source.text.slice(callback.start, callback.end));
}

function judge(path: string, word: string): string | undefined {
  if (isTest(path)) return SLEEPS.has(word) ? `${word} in a test is a sleep: use ${NO_SLEEP}` : undefined;
  const ban = NAMES[word] ?? MEMBERS[word] ?? (word === 'new Date()' ? CLOCK : undefined);
  if (!ban || ban.doors.some((door) => isInside(path, door))) return undefined;
  return `${word}: use ${ban.instead}`;
}

function bannedWord(node: SyntaxNode, parents: readonly SyntaxNode[]): string | undefined {
  if (node.type === 'MemberExpression') {
    const property = nameIn(node, 'property') ?? '';
    const word = `${nameIn(node, 'object')}.${property}`;
    if (property === 'waitForTimeout') return property;
    return word in MEMBERS ? word : undefined;
  }
  if (node.type === 'NewExpression' || node.type === 'CallExpression') {
    const bare = nameIn(node, 'callee') === 'Date';
    return bare && (node.type === 'CallExpression' || nodesIn(node, 'arguments').length === 0)
      ? 'new Date()'
      : undefined;
  }
  if (node.type !== 'Identifier' || !(String(node.name) in NAMES)) return undefined;
  return isReference(node, parents.at(-1)) ? String(node.name) : undefined;
}

/** A use of the name itself, not a property of something else that happens to be called so. */
function isReference(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (parent?.type === 'MemberExpression' && nodeIn(parent, 'property') === node && parent.computed !== true)
    return GLOBALS.has(nameIn(parent, 'object') ?? '');
  const isKey = parent?.key === node && parent?.shorthand !== true;
  return !isKey;
}

test('time, chance, timers and HTTP are reached through their doors only; no test sleeps', () => {
  expect(listed(callViolations(loadSources()))).toEqual([]);
});

test.each([
  'export const a = () => Date.now();',
  'export const a = () => new Date();',
  'export const a = () => Date();',
  'export const a = () => Math.random();',
  "import { randomUUID } from 'node:crypto';",
  'export const a = () => crypto.randomUUID();',
  'setTimeout(() => undefined, 1);',
  'globalThis.setInterval(() => undefined, 1);',
  'export const a = { setImmediate };',
  'export const a = () => performance.now();',
  'export const a = queueMicrotask;',
  'export const a = AbortSignal.timeout(5);',
  "await fetch('http://a');",
])('%s is caught in a tool', (text) => {
  expect(callViolations([parseSource('agents/plc/tools/a.ts', text)])).toHaveLength(1);
});

test('a date of a given instant and a port named like a timer are no violation', () => {
  const text = 'export const a = (c: { setTimeout(): void }) => { c.setTimeout(); return new Date(5); };';
  expect(callViolations([parseSource('agents/plc/tools/a.ts', text)])).toEqual([]);
});

test('a sleeping test is caught', () => {
  const text = 'await new Promise((done) => setTimeout(done, 100));';
  expect(callViolations([parseSource('tests/unit/a.test.ts', text)])).toHaveLength(1);
  const imported = "import { setTimeout as sleep } from 'node:timers/promises';";
  expect(callViolations([parseSource('tests/unit/a.test.ts', imported)])).toHaveLength(1);
  const guard = "await new Promise((_, reject) => setTimeout(() => reject(new Error('hung')), 100));";
  expect(callViolations([parseSource('tests/unit/a.test.ts', guard)])).toEqual([]);
});
