import type { ASTNode } from '@marcbachmann/cel-js';

/** What an expression looks at: `steps.a.result.b`, however it is written, is step `a`, field `b`. */
export interface Reference {
  readonly step: string;
  readonly field?: string;
}

export interface Reach {
  readonly references: readonly Reference[];
  /** Functions and methods that are called. */
  readonly calls: ReadonlySet<string>;
  /** `steps` as a whole, or one whose name is computed: nobody can say which. */
  readonly unnamed: boolean;
}

/** Read from the syntax tree; words inside texts and comments are no references. */
export function reachOf(ast: ASTNode): Reach {
  const references: Reference[] = [];
  const calls = new Set<string>();
  let unnamed = false;
  const visit = (node: ASTNode): void => {
    const path = pathOf(node);
    if (path?.root === 'steps') {
      const [step, part, field] = path.keys;
      if (step === undefined) unnamed = true;
      else references.push({ step, ...(part === 'result' && field !== undefined ? { field } : {}) });
      for (const computed of path.computed) visit(computed);
      return;
    }
    if (node.op === 'call' || node.op === 'rcall') calls.add(node.args[0]);
    for (const child of childrenOf(node.args)) visit(child);
  };
  visit(ast);
  return { references, calls, unnamed };
}

interface Path {
  readonly root: string;
  /** Undefined where the key is computed. */
  readonly keys: readonly (string | undefined)[];
  readonly computed: readonly ASTNode[];
}

function pathOf(node: ASTNode): Path | undefined {
  if (node.op === 'id') return { root: node.args, keys: [], computed: [] };
  if (node.op === '.' || node.op === '.?') {
    const [inner, key] = node.args;
    const path = pathOf(inner);
    return path && { ...path, keys: [...path.keys, key] };
  }
  if (node.op !== '[]' && node.op !== '[?]') return undefined;
  const [inner, index] = node.args;
  const path = pathOf(inner);
  if (!path) return undefined;
  const literal = index.op === 'value' && typeof index.args === 'string' ? index.args : undefined;
  const computed = literal === undefined ? [...path.computed, index] : path.computed;
  return { root: path.root, keys: [...path.keys, literal], computed };
}

const childrenOf = (args: unknown): ASTNode[] => {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return typeof args === 'object' && args !== null && 'op' in args && 'args' in args ? [args as ASTNode] : [];
};
