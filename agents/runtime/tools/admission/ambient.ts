import { isTypeOnly, literalOf, nameIn, nodeIn, nodesIn, type Syntax, type SyntaxNode, walk } from './syntax.js';

/** What is wrong at one place of a source. */
export interface Fault {
  readonly line: number;
  readonly message: string;
}

/** A module that another one brings in while it runs. */
export interface ModuleImport {
  readonly specifier: string;
  readonly line: number;
  /** Names, `*` for all of it, none where it is imported for its effects. */
  readonly names: readonly string[];
}

/** Names that reach past the context, each with what to use instead. */
const GLOBALS: Readonly<Record<string, string>> = {
  ...from(['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'navigator'], 'a capability of the context'),
  ...from(['BroadcastChannel', 'MessageChannel', 'Worker', 'SharedArrayBuffer', 'Atomics'], 'the context'),
  ...from(['process', 'global', 'globalThis', 'require', 'module'], 'what the context and the agent’s config hand in'),
  ...from(['eval', 'Function', 'WebAssembly'], 'code that can be read'),
  ...from(['setTimeout', 'setInterval', 'setImmediate', 'performance'], 'ctx.clock'),
  ...from(['crypto'], 'ctx.requestId, of which ids are made'),
};

/** Members of a global that are chance or time. */
const MEMBERS: Readonly<Record<string, string>> = {
  'Date.now': 'ctx.clock.now()',
  'Math.random': 'ctx.requestId, of which ids are made',
};

function from(names: readonly string[], instead: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, instead]));
}

/** Everything in a module that is neither its own nor handed in: globals, time, chance, code out of text. */
export function ambientUses({ program, lineAt }: Syntax): Fault[] {
  const faults: Fault[] = [];
  const say = (node: SyntaxNode, what: string, instead: string): void =>
    void faults.push({ line: lineAt(node.start), message: `${what} is not for tools: use ${instead}` });
  walk(program, (node, parents) => {
    if (node.type === 'ImportExpression') say(node, 'import()', 'an import at the top');
    if (node.type === 'MetaProperty') say(node, 'import.meta', 'what the agent’s config hands in');
    if (node.type === 'NewExpression' && nameIn(node, 'callee') === 'Date' && nodesIn(node, 'arguments').length === 0)
      say(node, 'the time of the machine', 'ctx.clock');
    if (node.type === 'MemberExpression') {
      const member = memberName(node);
      const whole = `${nameIn(node, 'object') ?? ''}.${member ?? ''}`;
      if (Object.hasOwn(MEMBERS, whole)) say(node, whole, MEMBERS[whole] as string);
      if (member === 'constructor' || member === '__proto__') say(node, `.${member}`, 'code that can be read');
    }
    if (node.type !== 'Identifier' || typeof node.name !== 'string' || !Object.hasOwn(GLOBALS, node.name)) return;
    if (isReference(node, parents.at(-1))) say(node, node.name, GLOBALS[node.name] as string);
  });
  return faults;
}

/** The name of a member, written with a dot or as text in brackets. */
export const memberName = (node: SyntaxNode): string | undefined =>
  node.computed === true ? literalOf(nodeIn(node, 'property')) : nameIn(node, 'property');

/** Forms of TypeScript that a value stands in; in all others it is a type. */
const AROUND_VALUES = /^TS(As|Satisfies|NonNull|Instantiation)Expression$|^TSTypeAssertion$|^TSExportAssignment$/;

/** Not a key, a member's name, a type, or a word of an import. */
function isReference(node: SyntaxNode, parent: SyntaxNode | undefined): boolean {
  if (!parent || parent.type.startsWith('Import')) return false;
  if (parent.type.startsWith('TS') && !AROUND_VALUES.test(parent.type)) return false;
  const isName = nodeIn(parent, 'property') === node || nodeIn(parent, 'key') === node;
  return !isName || parent.computed === true;
}

/** What a module brings in; imports of types alone are not there when it runs. */
export function importsOf({ program, lineAt }: Syntax): ModuleImport[] {
  return nodesIn(program, 'body').flatMap((node) => {
    const specifier = literalOf(nodeIn(node, 'source'));
    if (specifier === undefined || isTypeOnly(node)) return [];
    const specifiers = nodesIn(node, 'specifiers');
    const names =
      node.type === 'ExportAllDeclaration'
        ? ['*']
        : specifiers
            .filter(({ importKind, exportKind }) => importKind !== 'type' && exportKind !== 'type')
            .map((one) => nameIn(one, 'imported') ?? nameIn(one, 'local') ?? '*')
            .map((name, index) => (specifiers[index]?.type === 'ImportNamespaceSpecifier' ? '*' : name));
    return [{ specifier, line: lineAt(node.start), names }];
  });
}
