import { parseSync } from 'oxc-parser';

/** A syntax tree is data of many shapes: read it with `nodeIn`, `nodesIn`, `nameIn`. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface Syntax {
  readonly program: SyntaxNode;
  /** From 1. */
  lineAt(offset: number): number;
}

/** Parses one module, TypeScript or JavaScript by its path. @throws SyntaxError that names path and fault. */
export function parseModule(path: string, text: string): Syntax {
  const parsed = parseSync(path, text, { sourceType: 'module' });
  const [fault] = parsed.errors;
  if (fault) throw new SyntaxError(`${path}: ${parsed.errors.map(({ message }) => message).join('; ')}`);
  const starts = [0];
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1);
  const lineAt = (offset: number): number => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
  return { program: parsed.program as unknown as SyntaxNode, lineAt };
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';

/** The node in a field, if there is one. */
export function nodeIn(node: SyntaxNode | undefined, field: string): SyntaxNode | undefined {
  const value = node?.[field];
  return isNode(value) ? value : undefined;
}

/** The nodes in a list field. */
export function nodesIn(node: SyntaxNode | undefined, field: string): SyntaxNode[] {
  const value = node?.[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name of the identifier in a field. */
export function nameIn(node: SyntaxNode | undefined, field: string): string | undefined {
  const inner = nodeIn(node, field);
  return inner?.type === 'Identifier' && typeof inner.name === 'string' ? inner.name : undefined;
}

/** The text of a literal, also of a template without holes. */
export function literalOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  const [whole, more] = node?.type === 'TemplateLiteral' ? nodesIn(node, 'quasis') : [];
  return whole && !more ? (whole.value as { cooked?: string }).cooked : undefined;
}

/** Nothing but types comes from it: it is not there when the module runs. */
export function isTypeOnly(node: SyntaxNode): boolean {
  if (node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type') return true;
  const specifiers = nodesIn(node, 'specifiers');
  if (specifiers.length === 0) return false;
  return specifiers.every(({ importKind, exportKind }) => importKind === 'type' || exportKind === 'type');
}

/** Visits every node with the chain of its parents, nearest last. The chain is only good during the visit. */
export function walk(root: SyntaxNode, visit: (node: SyntaxNode, parents: readonly SyntaxNode[]) => void): void {
  const parents: SyntaxNode[] = [];
  const down = (node: SyntaxNode): void => {
    visit(node, parents);
    parents.push(node);
    for (const field in node) {
      const value = node[field];
      if (Array.isArray(value)) for (const item of value) if (isNode(item)) down(item);
      if (isNode(value)) down(value);
    }
    parents.pop();
  };
  down(root);
}
