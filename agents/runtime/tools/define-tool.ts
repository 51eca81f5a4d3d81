import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { EffectClass, MethodManifest, Principal, RetryPolicy, Risk } from '../../../mcp/index.js';
import type { Clock } from '../../../shared/clock.js';
import type { Scope } from '../../../shared/ids.js';
import type { Verification } from '../../../shared/outcome.js';
import type { Site } from '../../../shared/site.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { PlannedEffect } from '../approval/index.js';
import type { Effect, RollbackRecord, SnapshotDraft } from '../record/index.js';
import type { Capabilities } from './capabilities.js';
import type { TestCase } from './test-case.js';

/** What a tool is given to work with: declared and granted capabilities, time, and nothing ambient. */
export interface ToolContext extends Capabilities {
  readonly site: Site;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  remainingMs(): number;
  readonly principal: Principal;
  /** The component that runs the tool, without its version: as the site's list of agents names it. */
  readonly self: string;
  readonly operationId: string;
  /** The same on every delivery of the same call: what an id of something new is made of. */
  readonly requestId: string;
  readonly goalId?: string;
  readonly logger: Logger;
}

/** State read before the effect; verification and rollback compare with it. */
export type PreState = Readonly<Record<string, unknown>>;

/** What the record says of the operation when it has to be undone. */
export interface OperationSoFar<I> {
  readonly input: I;
  readonly preState: PreState;
  readonly effects: readonly Effect[];
}

export interface Rollback<I> {
  readonly name: string;
  readonly description: string;
  /** Time it takes at most, ms; also kept in reserve before the deadline. */
  readonly max_ms: number;
  /** Capabilities whose effects it takes back; has to be said where a tool has several kinds of write effect. */
  readonly undoes?: readonly string[];
  run(ctx: ToolContext, operation: OperationSoFar<I>): Promise<void>;
}

/** What has to be done before the same thing is tried once more: clear a latch, close what holds a file. */
export interface Remedy<I> {
  readonly name: string;
  readonly description: string;
  /** Time it takes at most, ms. */
  readonly max_ms: number;
  run(ctx: ToolContext, input: I): Promise<void>;
}

export interface ToolSpec<I extends z.ZodType, O extends z.ZodType> {
  readonly name: string;
  /** semver. */
  readonly version: string;
  readonly description: string;
  readonly input: I;
  readonly output: O;
  /** Every effect, reads too: capability and target pattern, `modbus.write:PLC-*`. */
  readonly side_effects: readonly string[];
  /** Decides retry, claim and rollback. */
  readonly effect_class: EffectClass;
  readonly risk: Risk;
  /** Why an irreversible effect is of no higher risk. */
  readonly risk_reason?: string;
  /** Parameter that names the actor; its calls run one at a time. */
  readonly actor_key?: keyof z.output<I> & string;
  /** Calls of all tools with this turn run one at a time in the agent: they decide on what the others wrote. */
  readonly turn?: string;
  /** A read with the same actor key: by it a caller finds out whether this one works again after failures. */
  readonly probe?: string;
  readonly timeout_ms: number;
  readonly retry_policy?: Partial<RetryPolicy>;
  /** What the operation is about; without it the call claims on its request. */
  scope?(input: z.output<I>, site: Site, requestId: string): Scope;
  /** Reachable, and the right one? At most 2 s. @throws HermesError `wrong_target`, `refused_by_device`, … */
  preflight?(ctx: ToolContext, input: z.output<I>): Promise<void>;
  /** Read before the claim, kept in the record. */
  preState?(ctx: ToolContext, input: z.output<I>): Promise<PreState>;
  /** What it is about to do, as far as it knows; shown to whoever has to approve. Default: as declared. */
  plans?(input: z.output<I>, preState: PreState): readonly PlannedEffect[];
  execute(ctx: ToolContext, input: z.output<I>, preState: PreState): Promise<z.output<O>>;
  /**
   * What really changed. Also asked after a crash or a time-out, then without output; may then say the output that
   * the interrupted execution would have had.
   */
  verify?(
    ctx: ToolContext,
    input: z.output<I>,
    output: z.output<O> | undefined,
    preState: PreState,
  ): Promise<Verification & { readonly output?: z.output<O> }>;
  readonly rollback: Rollback<z.output<I>> | { readonly none: string };
  readonly remedy?: Remedy<z.output<I>>;
  /** Methods that reach the same end another way, the best first, or why there is none; due from medium risk on. */
  readonly alternatives?: readonly string[] | { readonly none: string };
  readonly test_cases?: readonly TestCase[];
  /** The state to remember: facts of the output, never prose. */
  snapshot?(input: z.output<I>, output: z.output<O>, about: SnapshotAbout): SnapshotDraft | undefined;
}

export interface SnapshotAbout {
  readonly at: string;
  readonly operator: string;
  readonly operationId: string;
}

/** A tool with its types checked away at its own door: input is parsed before anything else sees it. */
export interface Tool {
  readonly manifest: MethodManifest;
  readonly digest: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly spec: ToolSpec<z.ZodType, z.ZodType>;
}

export function defineTool<I extends z.ZodType, O extends z.ZodType>(spec: ToolSpec<I, O>): Tool {
  const { rollback } = spec;
  const manifest: MethodManifest = {
    name: spec.name,
    version: spec.version,
    description: spec.description,
    input_schema: z.toJSONSchema(spec.input, { io: 'input' }) as Record<string, unknown>,
    output_schema: z.toJSONSchema(spec.output) as Record<string, unknown>,
    side_effects: [...spec.side_effects],
    effect_class: spec.effect_class,
    risk: spec.risk,
    ...(spec.risk_reason ? { risk_reason: spec.risk_reason } : {}),
    ...(spec.actor_key ? { actor_key: spec.actor_key } : {}),
    ...(spec.probe ? { probe: spec.probe } : {}),
    timeout_ms: spec.timeout_ms,
    ...(spec.retry_policy ? { retry_policy: spec.retry_policy } : {}),
    rollback: 'none' in rollback ? { none: rollback.none } : said(rollback),
    ...(spec.remedy ? { remedy: said(spec.remedy) } : {}),
    ...(spec.alternatives
      ? { alternatives: structuredClone(spec.alternatives) as MethodManifest['alternatives'] }
      : {}),
    ...(spec.test_cases ? { test_cases: spec.test_cases.length } : {}),
  };
  const digest = createHash('sha256')
    .update(canonicalize(manifest) as string)
    .digest('hex');
  return {
    manifest,
    digest,
    input: spec.input,
    output: spec.output,
    spec: spec as unknown as ToolSpec<z.ZodType, z.ZodType>,
  };
}

/** What is said of a rollback or a remedy, without what it does. */
const said = (of: Pick<Remedy<unknown>, 'name' | 'description' | 'max_ms'>) => ({
  name: of.name,
  description: of.description,
  max_ms: of.max_ms,
});

/** The rollback of an operation that needed none, as the record tells it. */
export function untouched({ spec: { rollback } }: Tool): RollbackRecord {
  return 'none' in rollback
    ? { available: false, reason: rollback.none, executed: false }
    : { available: true, name: rollback.name, executed: false };
}

/** What a call of this tool will do, for those who approve it; reads aside. */
export function plannedEffects(tool: Tool, input: unknown, preState: PreState): readonly PlannedEffect[] {
  const planned = tool.spec.plans?.(input, preState);
  if (planned) return planned;
  return tool.manifest.side_effects
    .map((declared) => declared.split(/:(.*)/s) as [string, string | undefined])
    .filter(([capability]) => !capability.endsWith('.read'))
    .map(([capability, target = '*']) => ({ capability, target }));
}

export const isRead = (tool: Tool): boolean => tool.spec.effect_class === 'read';
