import { HermesError } from '../../../../shared/errors.js';
import { tokenise } from './tokenise.js';

/** One element of a template: `word`, `{slot}`, `(a|b)` or `[x]`. */
export type TemplateNode =
  | { readonly is: 'word'; readonly text: string }
  | { readonly is: 'slot'; readonly name: string }
  | { readonly is: 'choice'; readonly of: readonly TemplateNode[][]; readonly optional: boolean };

/** Deeper nesting is refused; nobody writes it by hand. */
const MAX_DEPTH = 4;

const refuse = (template: string, problem: string): HermesError =>
  new HermesError('invalid_params', `template ${JSON.stringify(template)}: ${problem}`);

interface Cursor {
  readonly template: string;
  at: number;
}

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
]);

/** Refuses with `invalid_params` what is not a template. */
export function parseTemplate(template: string): TemplateNode[] {
  const cursor = { template, at: 0 };
  const [nodes, ...more] = alternatives(cursor, '', 0);
  if (more.length > 0) throw refuse(template, 'a | outside brackets');
  if (!nodes || nodes.length === 0) throw refuse(template, 'empty');
  return nodes;
}

function alternatives(cursor: Cursor, closer: string, depth: number): TemplateNode[][] {
  if (depth > MAX_DEPTH) throw refuse(cursor.template, `nested deeper than ${MAX_DEPTH}`);
  const branches: TemplateNode[][] = [];
  let branch: TemplateNode[] = [];
  let literal = '';
  const flush = (): void => {
    for (const token of tokenise(literal)) branch.push({ is: 'word', text: token.text });
    literal = '';
  };
  while (cursor.at < cursor.template.length) {
    const c = cursor.template.charAt(cursor.at);
    cursor.at += 1;
    const inner = CLOSERS.get(c);
    if (c === closer) {
      flush();
      return [...branches, branch];
    }
    if (c === '|') {
      flush();
      branches.push(branch);
      branch = [];
    } else if (inner !== undefined) {
      flush();
      branch.push({ is: 'choice', of: alternatives(cursor, inner, depth + 1), optional: c === '[' });
    } else if (c === '{') {
      flush();
      branch.push({ is: 'slot', name: slotName(cursor) });
    } else if (c === ')' || c === ']' || c === '}') {
      throw refuse(cursor.template, `a ${c} that nothing opened`);
    } else {
      literal += c;
    }
  }
  if (closer !== '') throw refuse(cursor.template, `no ${closer}`);
  flush();
  return [...branches, branch];
}

function slotName(cursor: Cursor): string {
  const end = cursor.template.indexOf('}', cursor.at);
  if (end < 0) throw refuse(cursor.template, 'no }');
  const name = cursor.template.slice(cursor.at, end);
  cursor.at = end + 1;
  if (!/^[a-z][a-z0-9_]{0,47}$/.test(name)) throw refuse(cursor.template, `bad slot name ${JSON.stringify(name)}`);
  return name;
}
