import { existsSync, readFileSync } from 'node:fs';
import { type Document, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { type FieldProblem, HermesError } from '../shared/errors.js';

/** A fault of a file, at a place in it. */
export interface FileProblem {
  readonly path: readonly (string | number)[];
  readonly problem: string;
}

export const isThere = (path: string): boolean => existsSync(path);

/** @throws HermesError `not_found`. */
export function readText(path: string, what: string, suggestion: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new HermesError('not_found', `no ${what} at ${path}`, { suggestion }, { cause });
  }
}

/**
 * A YAML file by its schema, then by what a schema cannot see. @throws HermesError `invalid_params` that lists every
 * fault with its line.
 */
export function parseYaml<Schema extends z.ZodType>(
  text: string,
  file: { readonly name: string; readonly what: string },
  schema: Schema,
  check: (content: z.output<Schema>) => readonly FileProblem[],
): z.output<Schema> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const lineOf = (path: readonly (string | number)[]): number => {
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => ({
      line: lines.linePos(error.pos[0]).line,
      pointer: '',
      problem: error.message,
    }));
    throw faults(file, problems);
  }
  const parsed = schema.safeParse(contentOf(document, file));
  const found: readonly FileProblem[] = parsed.success
    ? check(parsed.data)
    : parsed.error.issues.map((issue) => ({ path: issue.path as (string | number)[], problem: issue.message }));
  if (parsed.success && found.length === 0) return parsed.data;
  throw faults(
    file,
    found.map(({ path, problem }) => ({ line: lineOf(path), pointer: `/${path.join('/')}`, problem })),
  );
}

/** Aliases are counted while values are made of them: a file can be too large only then. */
function contentOf(document: Document.Parsed, file: { name: string; what: string }): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw faults(file, [{ line: 1, pointer: '', problem: error instanceof Error ? error.message : String(error) }]);
  }
}

function faults(
  { name, what }: { name: string; what: string },
  problems: readonly (FieldProblem & { line: number })[],
): HermesError {
  const list = problems.map(({ line, pointer, problem }) => `${name}:${line} ${pointer}: ${problem}`).join('\n');
  return new HermesError('invalid_params', `the ${what} has ${problems.length} fault(s)\n${list}`, {
    fields: problems,
  });
}
