import { Environment } from '@marcbachmann/cel-js';
import { type FieldProblem, HermesError } from '../../../shared/errors.js';
import { type Reference, reachOf } from './references.js';

/**
 * CEL (Common Expression Language) as plans use it: over `steps.<id>.result|state|error`, `goal`, `site`. `matches()`
 * is refused: its regular expressions can be made to run for ever.
 */
export interface Expression {
  readonly source: string;
  readonly references: readonly Reference[];
  evaluate(scope: ExpressionScope): unknown;
}

export interface ExpressionScope {
  readonly steps: Readonly<
    Record<string, { readonly state: string; readonly result?: unknown; readonly error?: unknown }>
  >;
  readonly goal: Readonly<Record<string, unknown>>;
  readonly site: Readonly<Record<string, unknown>>;
}

/** What four steps found, told in one message, is about 3 000 nodes. */
const LIMITS = { maxAstNodes: 10_000, maxDepth: 120 };

/** @throws HermesError `invalid_params` with the place of the fault. */
export function compileExpression(source: string, pointer: string): Expression {
  const { references, unnamed, evaluate } = compile(source, pointer, ['steps', 'goal', 'site']);
  if (unnamed) throw bad(pointer, 'an expression speaks of each step by name');
  return { source, references, evaluate: (scope) => evaluate({ ...scope }) };
}

/** CEL over one variable, for what is no part of a plan: `event.data.kind == 'x'`. @throws HermesError likewise. */
export function compileCondition(source: string, pointer: string, variable: string): (value: unknown) => boolean {
  const { evaluate } = compile(source, pointer, [variable]);
  return (value) => evaluate({ [variable]: value }) === true;
}

function compile(source: string, pointer: string, variables: readonly string[]) {
  const environment = new Environment({ unlistedVariablesAreDyn: false, limits: LIMITS });
  for (const variable of variables) environment.registerVariable(variable, 'map');
  try {
    const program = environment.parse(source);
    const { references, calls, unnamed } = reachOf(program.ast);
    if (calls.has('matches')) throw new Error('matches() is not allowed');
    const checked = program.check();
    if (!checked.valid) throw checked.error ?? new Error('does not type-check');
    return { references, unnamed, evaluate: (scope: Record<string, unknown>): unknown => program(scope) };
  } catch (error) {
    throw bad(pointer, error instanceof Error ? error.message : String(error));
  }
}

function bad(pointer: string, problem: string): HermesError {
  const fields: FieldProblem[] = [{ pointer, problem }];
  return new HermesError('invalid_params', `expression at ${pointer}: ${problem}`, { fields });
}
