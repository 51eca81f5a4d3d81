import { expect, test } from 'vitest';
import {
  listed,
  loadSources,
  nodesIn,
  parseSource,
  type Source,
  type SyntaxNode,
  type Violation,
  walk,
} from '../support/arch-source.js';

const FILE_LINES = 300;
const FUNCTION_LINES = 70;
const LINE_CHARACTERS = 120;

/** Pure tables, data without branches: a second file would only hide rows. Free in length and width. */
const TABLES: ReadonlySet<string> = new Set([
  'agents/hvac/intents.ts', // phrases of the HVAC agents in two languages
  'agents/plc/intents.ts', // phrases of the PLC agent in two languages; a pattern cannot be broken
  'agents/power/intents.ts', // phrases of the power agent
  'agents/scheduling/intents.ts', // phrases of the scheduling agent
  'agents/scheduling/work-order-intents.ts', // phrases about work orders
  'agents/runtime/session/language/lexicon.ts', // word classes, one string a class and language
]);
/** Tools that load a file by its default export. */
const DEFAULT_EXPORTS = /^(vitest\.config|.*\/vite\.config)\.ts$/;
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

function shapeViolations(sources: readonly Source[]): Violation[] {
  return sources.flatMap((source) => [...fileAndLines(source), ...functionSizes(source), ...wording(source)]);
}

function fileAndLines({ path, text }: Source): Violation[] {
  const lines = text.replace(/\n$/, '').split('\n');
  if (TABLES.has(path)) return [];
  const wide = lines.flatMap((line, index) =>
    line.length > LINE_CHARACTERS
      ? [{ path, line: index + 1, message: `${line.length} characters: break the line at ${LINE_CHARACTERS}` }]
      : [],
  );
  if (lines.length <= FILE_LINES) return wide;
  const message = `${lines.length} lines: give each concept a file of its own (at most ${FILE_LINES})`;
  return [{ path, line: 1, message }, ...wide];
}

/**
 * A function's OWN lines count; lines of functions written inside it count for those. A factory made of closures is
 * this house's way to hold state, and splitting one would only turn its private names into parameters.
 */
function functionSizes(source: Source): Violation[] {
  const own = new Map<SyntaxNode, number>();
  walk(source.program, (node, parents) => {
    if (!FUNCTIONS.has(node.type)) return;
    const span = source.lineAt(node.end - 1) - source.lineAt(node.start);
    own.set(node, (own.get(node) ?? 0) + span + 1);
    const outer = parents.findLast(({ type }) => FUNCTIONS.has(type));
    if (outer) own.set(outer, (own.get(outer) ?? 0) - span);
  });
  return [...own].flatMap(([node, lines]) => {
    const message = `a function of ${lines} own lines: cut it by what it does (at most ${FUNCTION_LINES})`;
    return lines > FUNCTION_LINES ? [{ path: source.path, line: source.lineAt(node.start), message }] : [];
  });
}

function wording(source: Source): Violation[] {
  const found: Violation[] = [];
  const { path } = source;
  walk(source.program, (node) => {
    const add = (message: string): number => found.push({ path, line: source.lineAt(node.start), message });
    if (node.type === 'TSAnyKeyword') add('any: use unknown and check it, or name the shape');
    if (DEFAULT_EXPORTS.test(path)) return;
    const renamed = nodesIn(node, 'specifiers').some(
      ({ type, exported }) => type === 'ExportSpecifier' && (exported as SyntaxNode | undefined)?.name === 'default',
    );
    if (node.type === 'ExportDefaultDeclaration' || renamed) add('a default export: export it by its name');
    if (node.type === 'ExportAllDeclaration') add('export *: a door names what it lets out');
  });
  return found;
}

test('files, functions and lines keep their size; exports have names; nothing is any', () => {
  expect(listed(shapeViolations(loadSources()))).toEqual([]);
});

test('a long file, a wide line, a default export, a wildcard and an any are caught', () => {
  const texts = [
    '\n'.repeat(FILE_LINES + 1),
    `// ${'x'.repeat(LINE_CHARACTERS)}`,
    'export default 1;',
    'const a = 1; export { a as default };',
    "export * from './b.js';",
    'export const a = (b: any) => b;',
  ];
  for (const text of texts) expect(shapeViolations([parseSource('mcp/a.ts', text)]), text).toHaveLength(1);
});

test('a long function is caught by its own lines, not by those of its closures', () => {
  const body = (lines: number): string => 'run();\n'.repeat(lines);
  const long = `function run(): void {\n${body(FUNCTION_LINES)}}`;
  expect(shapeViolations([parseSource('mcp/a.ts', long)])).toHaveLength(1);
  const closure = `const a = () => {\n${body(60)}};\n`;
  const factory = `function run(): void {\n${closure}${closure}}`;
  expect(shapeViolations([parseSource('mcp/a.ts', factory)])).toEqual([]);
});
