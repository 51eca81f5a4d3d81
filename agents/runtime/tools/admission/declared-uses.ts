import { covers } from '../capabilities.js';
import { type Fault, memberName } from './ambient.js';
import { literalOf, nameIn, nodeIn, nodesIn, type Syntax, type SyntaxNode, walk } from './syntax.js';

/** Strings and lists of strings by their names, of all modules of an agent: what a manifest is written with. */
export type Constants = ReadonlyMap<string, readonly string[]>;

/** A use of a capability in the text: `ctx.modbus.write('PLC-007', …)`. */
interface Use {
  readonly capability: string;
  /** Where it is written out. */
  readonly target?: string;
  readonly line: number;
}

/** Methods of the context by the capability that each one needs, and the place of the target in its arguments. */
const USES: Readonly<Record<string, { readonly capability: string; readonly target?: number }>> = {
  'modbus.read': { capability: 'modbus.read', target: 0 },
  'modbus.write': { capability: 'modbus.write', target: 0 },
  'smtp.send': { capability: 'smtp.send' },
  'memory.read': { capability: 'memory.read', target: 0 },
  'memory.list': { capability: 'memory.read' },
  'alarm.raise': { capability: 'alarm.raise', target: 1 },
};

/** `const EFFECTS = ['modbus.read:AHU-*']` and `const ORDERS = 'memory.read:work_order_*'`. */
export function constantsOf({ program }: Syntax): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  walk(program, (node) => {
    const name = node.type === 'VariableDeclarator' ? nameIn(node, 'id') : undefined;
    const texts = name === undefined ? undefined : textsOf(nodeIn(node, 'init'), found);
    if (name !== undefined && texts) found.set(name, texts);
  });
  return found;
}

/**
 * Uses in a module that none of the tools in it declares; of a target that is written out, also one that is wider than
 * declared. What is put together while the tool runs is seen by the context, which stops it.
 */
export function undeclaredUses(syntax: Syntax, constants: Constants): Fault[] {
  const { program, lineAt } = syntax;
  const lists = declarationsOf(program);
  if (lists.length === 0) return [];
  const declared: string[] = [];
  for (const list of lists) {
    const texts = textsOf(list, constants);
    if (!texts) return [{ line: lineAt(list.start), message: 'side_effects has to be a list of texts: write it out' }];
    declared.push(...texts);
  }
  return usesOf(syntax).flatMap(({ capability, target, line }) => {
    const isKnown = declared.some((one) => one === '*' || one.split(':', 1)[0] === capability);
    if (!isKnown) return [{ line, message: `${capability} is used and not declared: add it to side_effects` }];
    if (target === undefined || declared.some((one) => covers(one, `${capability}:${target}`))) return [];
    return [{ line, message: `${capability}:${target} is wider than declared: add it to side_effects` }];
  });
}

/** The lists of effects of each `defineTool({ side_effects: … })`. */
function declarationsOf(program: SyntaxNode): SyntaxNode[] {
  const lists: SyntaxNode[] = [];
  walk(program, (node) => {
    if (node.type !== 'CallExpression' || nameIn(node, 'callee') !== 'defineTool') return;
    for (const property of nodesIn(nodesIn(node, 'arguments')[0], 'properties')) {
      const value = nodeIn(property, 'value');
      if (nameIn(property, 'key') === 'side_effects' && value) lists.push(value);
    }
  });
  return lists;
}

function usesOf({ program, lineAt }: Syntax): Use[] {
  const uses: Use[] = [];
  walk(program, (node) => {
    const callee = node.type === 'CallExpression' ? nodeIn(node, 'callee') : undefined;
    if (callee?.type !== 'MemberExpression') return;
    const object = nodeIn(callee, 'object');
    const group = object?.type === 'MemberExpression' ? memberName(object) : nameIn(callee, 'object');
    const use = USES[`${group}.${memberName(callee)}`];
    if (!use) return;
    const target = use.target === undefined ? undefined : literalOf(nodesIn(node, 'arguments')[use.target]);
    uses.push({ capability: use.capability, line: lineAt(node.start), ...(target === undefined ? {} : { target }) });
  });
  return uses;
}

function textsOf(node: SyntaxNode | undefined, constants: Constants): readonly string[] | undefined {
  if (!node) return undefined;
  if (node.type.startsWith('TSAs') || node.type === 'TSSatisfiesExpression')
    return textsOf(nodeIn(node, 'expression'), constants);
  if (node.type === 'Identifier') return constants.get(String(node.name));
  if (node.type === 'SpreadElement') return textsOf(nodeIn(node, 'argument'), constants);
  const text = literalOf(node);
  if (text !== undefined) return [text];
  if (node.type !== 'ArrayExpression') return undefined;
  const parts = nodesIn(node, 'elements').map((element) => textsOf(element, constants));
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}
