import { expect, test } from 'vitest';
import { loadSources, parseSource, type Source } from '../support/arch-source.js';

/** Groups of files that reach each other by imports. Type-only imports count: a loop of types is a wrong wall too. */
function importLoops(sources: readonly Source[], typesToo: boolean): string[][] {
  const edges = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.flatMap(({ target, typeOnly }) => (target !== undefined && (typesToo || !typeOnly) ? [target] : [])),
    ]),
  );
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const loops: string[][] = [];
  /** Tarjan: a group is closed when its first file is reached again from nowhere deeper. */
  const visit = (path: string): void => {
    order.set(path, order.size);
    lowest.set(path, order.size - 1);
    open.push(path);
    for (const target of edges.get(path) ?? []) {
      if (!edges.has(target)) continue;
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(target) ?? 0));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const group = open.splice(open.indexOf(path));
    if (group.length > 1 || edges.get(path)?.includes(path)) loops.push(group.sort());
  };
  for (const path of edges.keys()) if (!order.has(path)) visit(path);
  return loops;
}

const sentence = (loop: readonly string[]): string =>
  `${loop.join(' ↔ ')} import each other: move what they share into a file of its own below both`;

test('no files import each other in a loop, types included', () => {
  const sources = loadSources();
  expect(importLoops(sources, false).map(sentence)).toEqual([]);
  expect(importLoops(sources, true).map(sentence)).toEqual([]);
});

test('a planted loop is caught; a loop of types only when types count', () => {
  const values = [
    parseSource('mcp/a.ts', "import { b } from './b.js';"),
    parseSource('mcp/b.ts', "export { c } from './c.js';"),
    parseSource('mcp/c.ts', "const a = await import('./a.js');"),
  ];
  expect(importLoops(values, false)).toEqual([['mcp/a.ts', 'mcp/b.ts', 'mcp/c.ts']]);
  const types = [
    parseSource('mcp/a.ts', "import type { b } from './b.js';"),
    parseSource('mcp/b.ts', "import { a } from './a.js';"),
  ];
  expect(importLoops(types, false)).toEqual([]);
  expect(importLoops(types, true)).toHaveLength(1);
});
