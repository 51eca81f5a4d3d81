import type { z } from 'zod';
import { type FieldProblem, type HermesError, invalidParams } from '../../shared/errors.js';

/** zod's issues as JSON pointers under a prefix. Only for the path that refuses: it is slow. */
export function fieldProblems(error: z.ZodError, prefix = ''): FieldProblem[] {
  return error.issues.map((issue) => {
    const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const path = [...issue.path.map(String), ...(keys.length === 1 ? keys : [])];
    const pointer = `${prefix}${path.map((key) => `/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`).join('')}`;
    const problem = keys.length > 0 ? `unknown field${keys.length > 1 ? `s ${keys.join(', ')}` : ''}` : issue.message;
    return { pointer, problem };
  });
}

/** Parses or throws a 400 that names every field. */
export function parseOrRefuse<T>(schema: z.ZodType<T>, value: unknown, what: string, prefix = ''): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw refuse(parsed.error, what, prefix);
}

function refuse(error: z.ZodError, what: string, prefix: string): HermesError {
  const fields = fieldProblems(error, prefix);
  const list = fields.map((field) => `${field.pointer || '(whole)'}: ${field.problem}`).join('; ');
  return invalidParams(`${what}: ${list}`, fields);
}
