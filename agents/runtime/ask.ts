import { checkAllowed, componentName, type Manifest, type Request, type ServedCall } from '../../mcp/index.js';
import { HermesError, type WireError } from '../../shared/errors.js';
import { type SessionId, stepRequestId } from '../../shared/ids.js';
import { createLines } from '../../shared/lines.js';
import { type Answer, renderAnswer, renderOutcome } from './answer/index.js';
import { buildPlan } from './build-plan.js';
import type { Cell } from './cell.js';
import { checkPlan, executePlan, type PlanStep, type StepStatus } from './plan/index.js';
import {
  createSessionEngine,
  newDialogue,
  type RulePack,
  rulePackSchema,
  type SessionEngine,
  type Understanding,
} from './session/index.js';
import { createSessionStore } from './session-store.js';

export interface AskDeps {
  readonly cell: Cell;
  readonly manifest: Manifest;
  readonly runTool: (call: ServedCall) => Promise<unknown>;
}

export interface Asked {
  readonly session_context_id: string;
  readonly outcome: Understanding['outcome'];
  readonly understood: string;
  readonly answer: Answer;
  readonly steps: readonly {
    readonly id: string;
    readonly method: string;
    readonly state: string;
    readonly result?: unknown;
  }[];
}

/**
 * An agent's own way in for people: its session engine understands the sentence by its own rule pack, its executor
 * runs its own tools, its answer room renders. The coordinator does the same with everybody's packs.
 */
export function createAsk({ cell, manifest, runTool }: AskDeps) {
  const name = manifest.component.slice(0, manifest.component.lastIndexOf('_v'));
  const pack: RulePack | undefined = manifest.rule_pack ? rulePackSchema.parse(manifest.rule_pack) : undefined;
  const packs = pack ? [{ component: name, pack }] : [];
  let engine: SessionEngine | undefined;
  /** Made when somebody asks: most agents are only called. */
  const openEngine = (): SessionEngine => createSessionEngine({ packs: () => packs, site: () => cell.policy.site });
  const sessions = createSessionStore(cell);
  const turns = createLines();
  const { site } = cell.policy;
  const sources = { manifest: () => manifest, pack: () => pack, site };
  const examples = (): string[] => (pack?.intents ?? []).map((intent) => intent.example.zh);

  /** Asking in words gives no right that calling the method does not give. */
  const allowed = (call: ServedCall): ServedCall => {
    checkAllowed(cell.policy.allow, call.request.method, componentName(call.request.caller));
    return call;
  };

  /** Sentences of one session one after the other: the next is understood from where the one before it left off. */
  const understand = (id: SessionId, text: string): Promise<Understanding> =>
    turns.inLine(id, async () => {
      const known = await sessions.load(id);
      engine ??= openEngine();
      const { understanding, context } = engine.understand(text, { context: known?.context ?? newDialogue() });
      await sessions.save(id, { goals: known?.goals ?? [], context });
      return understanding;
    });

  return async (call: ServedCall, text: string, session?: string): Promise<Asked> => {
    const id = (session ?? cell.doors.ids.session()) as SessionId;
    const understanding = await understand(id, text);
    const { outcome, understood, language } = understanding;
    const head = { session_context_id: id, outcome, understood };
    if (outcome !== 'plan' && outcome !== 'repeat') {
      return { ...head, answer: renderOutcome(understanding, examples()), steps: [] };
    }
    const plan = buildPlan(understanding.actions, sources, language);
    checkPlan(plan, () => manifest);
    const ran = await executePlan(
      plan,
      {
        runStep: async (step, params, n) => ({
          result: await runTool(allowed(toolCall(call, step, params, n))),
          served_by: cell.instance,
        }),
        onStep: async () => undefined,
        now: () => Math.round(cell.doors.clock.now()),
      },
      { signal: call.deadline.signal, scope: { goal: {}, site: {} } },
    );
    // Only the owner of a goal asks people: what this agent may not do alone is said to whoever asked it.
    if (ran.state === 'waiting') throw needOf(ran.steps);
    const { answer } = renderAnswer(
      plan,
      ran.steps,
      { pack: () => pack, nameOf: () => name, site },
      language,
      ran.state,
    );
    const steps = plan.steps.map((step) => {
      const status = ran.steps.get(step.id);
      return { id: step.id, method: step.method, state: status?.state ?? 'pending', result: status?.result };
    });
    return { ...head, answer, steps };
  };
}

/** What the waiting step's callee said. */
const needOf = (steps: ReadonlyMap<string, StepStatus>): HermesError => {
  const waiting = [...steps.values()].find(({ state }) => state === 'waiting');
  return HermesError.fromWire(waiting?.error as WireError);
};

/** A step of the asked plan as a call of its own, under an id derived from the ask: asking again does nothing twice. */
function toolCall(call: ServedCall, step: PlanStep, params: Record<string, unknown>, n: number): ServedCall {
  const request: Request = {
    ...call.request,
    request_id: stepRequestId(call.request.request_id, step.id, n),
    method: step.method,
    params,
    step_id: step.id,
  };
  return { ...call, request };
}
