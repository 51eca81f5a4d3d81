import { Environment } from '@marcbachmann/cel-js';
import { type FieldProblem, HermesError } from '../../../shared/errors.js';

/**
 * CEL (Common Expression Language) as plans use it: over `steps.<id>.result|state|error`, `goal`, `site`. `matches()`
 * is refused: its regular expressions can be made to run for ever.
 */
export interface Expression {
  readonly source: string;
  evaluate(scope: ExpressionScope): unknown;
}

export interface ExpressionScope {
  readonly steps: Readonly<
    Record<string, { readonly state: string; readonly result?: unknown; readonly error?: unknown }>
  >;
  readonly goal: Readonly<Record<string, unknown>>;
  readonly site: Readonly<Record<string, unknown>>;
}

const LIMITS = { maxAstNodes: 1_000, maxDepth: 120 };

/** @throws HermesError `invalid_params` with the place of the fault. */
export function compileExpression(source: string, pointer: string): Expression {
  if (/\bmatches\s*\(/.test(source)) throw bad(pointer, 'matches() is not allowed');
  const environment = new Environment({ unlistedVariablesAreDyn: false, limits: LIMITS })
    .registerVariable('steps', 'map')
    .registerVariable('goal', 'map')
    .registerVariable('site', 'map');
  try {
    const program = environment.parse(source);
    const checked = program.check();
    if (!checked.valid) throw checked.error ?? new Error('does not type-check');
    return { source, evaluate: (scope) => program(scope) };
  } catch (error) {
    throw bad(pointer, error instanceof Error ? error.message : String(error));
  }
}

/** `steps.a.result.b` in a source, as [step, field]. */
export function referencesOf(source: string): readonly (readonly [step: string, field: string | undefined])[] {
  const found = source.matchAll(/\bsteps\.([A-Za-z0-9_]+)(?:\.result(?:\.([A-Za-z0-9_]+))?)?/g);
  return [...found].map((match) => [match[1] as string, match[2]] as const);
}

function bad(pointer: string, problem: string): HermesError {
  const fields: FieldProblem[] = [{ pointer, problem }];
  return new HermesError('invalid_params', `expression at ${pointer}: ${problem}`, { fields });
}
