import { describe, expect, test } from 'vitest';
import { scanSources } from '../../../../agents/runtime/index.js';

/** Scans modules that are given as texts; what begins with a dot is the agent's own. */
function scan(sources: Readonly<Record<string, string>>) {
  return scanSources('index.ts', {
    read: (path) => sources[path],
    resolve(_from, specifier) {
      if (specifier === '../runtime/index.js') return { kind: 'given' };
      return specifier.startsWith('./') ? { kind: 'own', path: specifier.slice(2) } : { kind: 'outside' };
    },
  });
}
const messages = (text: string): string[] => scan({ 'index.ts': text }).findings.map(({ message }) => message);
const tool = (effects: string, body: string): string =>
  `import { defineTool } from '../runtime/index.js';
   export const t = () => defineTool({ side_effects: ${effects}, execute: async (ctx) => { ${body} } });`;

describe('what a tool must not reach for', () => {
  test.each([
    ['a file', "import { readFile } from 'node:fs/promises'; export const a = readFile;"],
    ['a file without its prefix', "import fs from 'fs'; export const a = fs;"],
    ['a package', "import got from 'got'; export const a = got;"],
    ['a socket, again exported', "export { connect } from 'node:net';"],
    ['everything of a module', "export * from 'node:child_process';"],
    ['a module for its effects', "import 'undici/register';"],
    [
      'chance out of a module of hashes',
      "import { createHash, randomUUID } from 'node:crypto'; export const a = randomUUID;",
    ],
    ['all of a module of hashes', "import * as c from 'node:crypto'; export const a = c;"],
    ['a module of the outside', "import { x } from '../../topology/index.js'; export const a = x;"],
    ['an import while it runs', "export const a = () => import('node:fs');"],
    ['an import of a computed name', 'export const a = (n: string) => import(n);'],
    ['fetch', "export const a = () => fetch('http://x');"],
    ['fetch as a value', 'export const a = { get: fetch };'],
    ['fetch in short form', 'export const a = { fetch };'],
    ['the environment', 'export const a = process.env.HOME;'],
    ['the environment by text', "export const a = process['env'];"],
    ['a global by a cast', 'export const a = (globalThis as any).fetch;'],
    ['a global not null', 'export const a = globalThis!.fetch;'],
    ['a global under another name', 'const g = globalThis; export const a = g;'],
    ['eval', "export const a = () => eval('1');"],
    ['eval not called directly', "export const a = (0, eval)('1');"],
    ['a function out of text', "export const a = new Function('return 1');"],
    ['the maker of functions', "export const a = (() => 1).constructor('return 1');"],
    ['the maker of functions by text', "export const a = (() => 1)['constructor'];"],
    ['the time', 'export const a = () => Date.now();'],
    ['the time as a date', 'export const a = () => new Date();'],
    ['chance', 'export const a = () => Math.random();'],
    ['a timer', 'export const a = () => setTimeout(() => 1, 5);'],
    ['where it lies', 'export const a = import.meta.url;'],
    ['require', "export const a = require('fs');"],
  ])('%s', (_what, text) => {
    expect(messages(text)).toHaveLength(1);
  });

  test.each([
    ['types of the outside', "import type { Server } from 'node:net'; export type A = Server;"],
    ['a date of a given instant', 'export const a = (ms: number) => new Date(ms).toISOString();'],
    ['a property of such a name', 'export const a = { fetch: 1, process: 2 }; export const b = a.process;'],
    ['a type of such a name', 'export interface A { process: string } export type B = A["process"];'],
    ['hashes', "import { createHash } from 'node:crypto'; export const a = createHash;"],
    ['schemas', "import { z } from 'zod'; export const a = z;"],
    ['words in texts and comments', "// fetch process eval\nexport const a = 'process.env';"],
  ])('%s: no matter', (_what, text) => {
    expect(messages(text)).toEqual([]);
  });

  test('every module that the entry reaches is read; file and line are said', () => {
    const { findings, files } = scan({
      'index.ts': "export { a } from './deep.ts';",
      'deep.ts': "import { b } from './deeper.ts';\nexport const a = b;",
      'deeper.ts': '\n\nexport const b = process.pid;',
      'other.ts': 'export const c = process.pid;',
    });
    expect(files).toEqual(['index.ts', 'deep.ts', 'deeper.ts']);
    expect(findings).toEqual([{ file: 'deeper.ts', line: 3, message: expect.stringContaining('process') }]);
  });

  test('a module that is missing or no module is a finding, not a crash', () => {
    expect(messages("export { a } from './gone.ts';")).toEqual(['is imported and not there']);
    expect(messages('export const = ;')).toEqual([expect.stringContaining('is no module')]);
  });
});

describe('what a tool declares', () => {
  test.each([
    [
      'an undeclared capability',
      tool("['modbus.read:PLC-*']", "await ctx.modbus.write(id, 'x', 1);"),
      'modbus.write is used',
    ],
    [
      'a capability taken apart',
      tool('[]', 'const { modbus } = ctx; await modbus.read(id, []);'),
      'modbus.read is used',
    ],
    ['a capability by text', tool('[]', "await ctx['smtp']['send'](mail);"), 'smtp.send is used'],
    ['a wider target', tool("['modbus.write:PLC-*']", "await ctx.modbus.write('AHU-1', 'x', 1);"), 'AHU-1 is wider'],
    [
      'an alarm for another device',
      tool("['alarm.raise:PLC-*']", "await ctx.alarm.raise('k', 'M-1', {});"),
      'M-1 is wider',
    ],
    ['effects that are computed', tool('effects()', 'await ctx.modbus.read(id, []);'), 'write it out'],
  ])('%s is found', (_what, text, problem) => {
    expect(messages(text)).toEqual([expect.stringContaining(problem)]);
  });

  test('what is declared in another module by a constant counts', () => {
    const reads = tool("[...EFFECTS, 'smtp.send']", "await ctx.modbus.read('AHU-1', []);");
    const sources = {
      'index.ts': `import { EFFECTS } from './effects.ts';\n${reads}`,
      'effects.ts': "const READ = 'modbus.read:AHU-*';\nexport const EFFECTS = [READ] as const;",
    };
    expect(scan(sources).findings).toEqual([]);
  });
});
