import { z } from 'zod';
import type { Manifest, MethodManifest } from '../../../mcp/index.js';
import { type FieldProblem, HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import { compileExpression } from './expression.js';
import type { Conclusion, Plan, PlanStep } from './plan.js';
import type { Reference } from './references.js';

export type ManifestOf = (component: string) => Manifest | undefined;

export const methodOf = (manifest: Manifest | undefined, method: string): MethodManifest | undefined =>
  manifest?.methods.find((candidate) => candidate.name === method);

/**
 * The contract check: everything about a plan that can be wrong before anything runs. All faults at once.
 * @throws HermesError `invalid_params` with one field problem a fault.
 */
export function checkPlan(plan: Plan, manifestOf: ManifestOf): void {
  const problems: FieldProblem[] = [];
  if (plan.steps.length > LIMITS.planSteps) {
    problems.push({ pointer: '/steps', problem: `at most ${LIMITS.planSteps} steps` });
  }
  const ids = new Set<string>();
  plan.steps.forEach((step, index) => {
    const at = `/steps/${index}`;
    if (!/^[a-z0-9_-]{1,32}$/.test(step.id))
      problems.push({ pointer: `${at}/id`, problem: 'a step id: [a-z0-9_-]{1,32}' });
    if (ids.has(step.id)) problems.push({ pointer: `${at}/id`, problem: `${step.id} stands twice` });
    ids.add(step.id);
    problems.push(...checkStep(step, at, plan, manifestOf));
  });
  plan.conclusions?.forEach((conclusion, index) => {
    problems.push(...checkConclusion(conclusion, `/conclusions/${index}`, plan, manifestOf));
  });
  if (problems.length === 0 && hasCycle(plan))
    problems.push({ pointer: '/steps', problem: 'the dependencies are a cycle' });
  if (problems.length === 0) return;
  const list = problems.map((field) => `${field.pointer}: ${field.problem}`).join('; ');
  throw new HermesError('invalid_params', `the plan cannot run: ${list}`, { fields: problems });
}

function checkStep(step: PlanStep, at: string, plan: Plan, manifestOf: ManifestOf): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const say = (pointer: string, problem: string) => problems.push({ pointer: `${at}${pointer}`, problem });
  const manifest = manifestOf(step.callee);
  const method = methodOf(manifest, step.method);
  // Nobody has announced this agent: a step that the plan can do without fails `no_worker` when its turn comes.
  const dispensable = manifest === undefined && step.on_failure === 'continue';
  if (!method && !dispensable) say('/method', `${step.callee} has no method ${step.method}`);
  else if (method) problems.push(...checkParams(step, method, at));
  for (const dependency of step.depends_on) {
    if (!plan.steps.some((other) => other.id === dependency)) say('/depends_on', `no step ${dependency}`);
  }
  const sources = Object.entries(step.bind).map(([pointer, source]) => [`/bind${pointer}`, source] as const);
  for (const [pointer, source] of step.when ? [...sources, ['/when', step.when] as const] : sources) {
    problems.push(...checkExpression(source, `${at}${pointer}`, plan, manifestOf, step));
  }
  return problems;
}

function checkConclusion({ when, of }: Conclusion, at: string, plan: Plan, manifestOf: ManifestOf): FieldProblem[] {
  const known = plan.steps.some((step) => step.id === of);
  return [
    ...(known ? [] : [{ pointer: `${at}/of`, problem: `no step ${of}` }]),
    ...checkExpression(when, `${at}/when`, plan, manifestOf),
  ];
}

function checkExpression(
  source: string,
  pointer: string,
  plan: Plan,
  manifestOf: ManifestOf,
  step?: PlanStep,
): FieldProblem[] {
  try {
    const { references } = compileExpression(source, pointer);
    return checkReferences(references, pointer, step, plan, manifestOf);
  } catch (error) {
    return [...((error as HermesError).data.fields ?? [])];
  }
}

/**
 * Required parameters are literal or bound; unknown ones are refused where the schema closes the object; literal
 * values fit their own schema.
 */
function checkParams(step: PlanStep, method: MethodManifest, at: string): FieldProblem[] {
  const schema = method.input_schema as InputSchema;
  const bound = Object.keys(step.bind).map((pointer) => pointer.slice(1));
  const given = new Set([...Object.keys(step.params), ...bound]);
  const missing = (schema.required ?? []).filter((name) => !given.has(name));
  const known = new Set(Object.keys(schema.properties ?? {}));
  const strange = schema.additionalProperties === false ? [...given].filter((name) => !known.has(name)) : [];
  return [
    ...missing.map((name) => ({ pointer: `${at}/params/${name}`, problem: 'missing' })),
    ...strange.map((name) => ({ pointer: `${at}/params/${name}`, problem: 'unknown parameter' })),
    ...Object.entries(step.params).flatMap(([name, value]) => {
      const problem = misfit(schema.properties?.[name], value);
      return problem === undefined ? [] : [{ pointer: `${at}/params/${name}`, problem }];
    }),
  ];
}

interface InputSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: unknown;
}

/** Why a value does not fit the schema of its parameter. A schema that cannot be read leaves it to the callee. */
function misfit(schema: unknown, value: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  try {
    const parsed = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value);
    return parsed.success ? undefined : parsed.error.issues.map((issue) => issue.message).join('; ');
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** An expression of a step speaks only of steps it waits for, and of fields that their results have. */
function checkReferences(
  references: readonly Reference[],
  pointer: string,
  step: PlanStep | undefined,
  plan: Plan,
  manifestOf: ManifestOf,
): FieldProblem[] {
  return references.flatMap(({ step: id, field }) => {
    const other = plan.steps.find((candidate) => candidate.id === id);
    if (!other) return [{ pointer, problem: `no step ${id}` }];
    if (step && !step.depends_on.includes(id)) return [{ pointer, problem: `${step.id} does not wait for ${id}` }];
    const schema = methodOf(manifestOf(other.callee), other.method)?.output_schema as
      | { properties?: object }
      | undefined;
    const properties = schema?.properties;
    if (field === undefined || !properties || field in properties) return [];
    return [{ pointer, problem: `the result of ${other.method} has no field ${field}` }];
  });
}

function hasCycle(plan: Plan): boolean {
  const done = new Set<string>();
  let left = [...plan.steps];
  while (left.length > 0) {
    const ready = left.filter((step) => step.depends_on.every((id) => done.has(id)));
    if (ready.length === 0) return true;
    for (const step of ready) done.add(step.id);
    left = left.filter((step) => !done.has(step.id));
  }
  return false;
}
