import { expect, test } from 'vitest';
import {
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

const CONTAINERS = new Set(['Map', 'Set', 'WeakMap', 'WeakSet', 'Array']);
const MUTATORS = new Set(
  'set add delete clear push pop shift unshift splice sort reverse fill copyWithin assign'.split(' '),
);
const READ_ONLY = /^\s*:\s*(Readonly|readonly )/;
const INSTEAD = 'hold it in a factory or an object that is handed in: two components in one process share nothing';

/** State of a module is state that two factories in one process share. Data tables are fine, changing ones are not. */
function stateViolations(sources: readonly Source[]): Violation[] {
  return sources.filter(({ path }) => !isTest(path)).flatMap(moduleState);
}

function moduleState(source: Source): Violation[] {
  const found: Violation[] = [];
  const add = (node: SyntaxNode, message: string): number =>
    found.push({ path: source.path, line: source.lineAt(node.start), message: `${message}: ${INSTEAD}` });
  const containers = new Set<string>();
  for (const statement of nodesIn(source.program, 'body')) {
    const exported = statement.type === 'ExportNamedDeclaration';
    const declaration = exported ? nodeIn(statement, 'declaration') : statement;
    if (declaration?.type !== 'VariableDeclaration' || declaration.declare === true) continue;
    if (declaration.kind !== 'const') add(declaration, `a module-level ${String(declaration.kind)}`);
    for (const declarator of nodesIn(declaration, 'declarations')) {
      const name = nameIn(declarator, 'id');
      const init = nodeIn(declarator, 'init');
      if (name === undefined || !isContainer(bare(init))) continue;
      containers.add(name);
      if (exported && !isReadOnly(source, declarator)) add(declarator, `${name} is exported and can be changed`);
    }
  }
  walk(source.program, (node) => {
    const name = changedName(node);
    if (name !== undefined && containers.has(name)) add(node, `module-level ${name} is changed`);
  });
  return found;
}

/** The expression without `as`, `satisfies` and brackets. */
function bare(node: SyntaxNode | undefined): SyntaxNode | undefined {
  const wrapped = ['TSAsExpression', 'TSSatisfiesExpression', 'ParenthesizedExpression'].includes(node?.type ?? '');
  return wrapped ? bare(nodeIn(node, 'expression')) : node;
}

function isContainer(node: SyntaxNode | undefined): boolean {
  if (node?.type === 'NewExpression') return CONTAINERS.has(nameIn(node, 'callee') ?? '');
  return node?.type === 'ArrayExpression' || node?.type === 'ObjectExpression';
}

/** By its annotation or `as const`. A plain object of functions or constants is a namespace, and let pass. */
function isReadOnly(source: Source, declarator: SyntaxNode): boolean {
  const init = nodeIn(declarator, 'init');
  const id = nodeIn(declarator, 'id');
  const inner = bare(init);
  if (inner?.type === 'ObjectExpression') return nodesIn(inner, 'properties').length > 0;
  const annotation = id ? nodeIn(id, 'typeAnnotation') : undefined;
  if (annotation) return READ_ONLY.test(source.text.slice(annotation.start, annotation.end));
  return / as const\b/.test(source.text.slice(inner?.end ?? 0, init?.end ?? 0));
}

/** The name of the variable whose content this node changes. */
function changedName(node: SyntaxNode): string | undefined {
  if (node.type === 'CallExpression') {
    const callee = nodeIn(node, 'callee');
    const method = nameIn(callee, 'property') ?? '';
    if (callee?.type !== 'MemberExpression' || !MUTATORS.has(method)) return undefined;
    return nameIn(callee, 'object') === 'Object' ? firstArgument(node) : root(nodeIn(callee, 'object'));
  }
  const target =
    node.type === 'AssignmentExpression'
      ? nodeIn(node, 'left')
      : node.type === 'UpdateExpression' || (node.type === 'UnaryExpression' && node.operator === 'delete')
        ? nodeIn(node, 'argument')
        : undefined;
  return target?.type === 'MemberExpression' ? root(target) : undefined;
}

function firstArgument(node: SyntaxNode): string | undefined {
  const [first] = nodesIn(node, 'arguments');
  return first?.type === 'Identifier' ? String(first.name) : undefined;
}

function root(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === 'MemberExpression') return root(nodeIn(node, 'object'));
  return node?.type === 'Identifier' ? String(node.name) : undefined;
}

test('no module holds state that changes', () => {
  expect(listed(stateViolations(loadSources()))).toEqual([]);
});

test.each([
  'let count = 0; export const a = () => count;',
  'export let count = 0;',
  'const seen = new Set<string>(); export const a = (b: string) => seen.add(b);',
  'const rows: string[] = []; export const a = (b: string) => rows.push(b);',
  'const state = { on: false }; export const a = () => { state.on = true; };',
  'export const seen = new Map<string, string>();',
  'export const rows: string[] = [];',
])('%s is caught', (text) => {
  expect(stateViolations([parseSource('mcp/a.ts', text)])).toHaveLength(1);
});

test('tables that nobody can change are no violation', () => {
  const text = `
    export const a: ReadonlySet<string> = new Set(['x']);
    export const b = ['x'] as const;
    export const c: readonly string[] = ['x'];
    export const d = { x: 1 } as const;`;
  expect(stateViolations([parseSource('mcp/a.ts', text)])).toEqual([]);
});
