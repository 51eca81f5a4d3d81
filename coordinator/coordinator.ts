import { z } from 'zod';
import {
  type Agent,
  type AgentDoors,
  type AgentPolicy,
  type BuiltinMethod,
  type Cell,
  type PackShelf,
  startAgent,
} from '../agents/runtime/index.js';
import { componentName, createDiscovery, type Discovery, parseOrRefuse, type ServedCall } from '../mcp/index.js';
import type { GoalId } from '../shared/ids.js';
import { LIMITS } from '../shared/limits.js';
import { approvalIndex } from './goals/approval-desk.js';
import { goalIndex } from './goals/goal-index.js';
import { createGoalService, type GoalService } from './goals/goal-service.js';
import { rememberedManifests, rememberManifests } from './known-manifests.js';
import { createPlanner, type Planner } from './planner/planner.js';
import type { Playbook } from './playbooks/index.js';
import { startEventTriggers } from './triggers/index.js';

export const COORDINATOR = 'production_coordinator';
const VERSION = '1.0';

export interface Coordinator {
  readonly agent: Agent;
  readonly goals: GoalService;
  readonly discovery: Discovery;
  /** @throws HermesError `invalid_params` naming playbooks that cannot run with the agents that are known now. */
  checkPlaybooks(): void;
  /** Takes up the goals that were open when this coordinator started. @returns how many. */
  takeUpOpenGoals(): Promise<number>;
  stop(): Promise<void>;
}

export interface CoordinatorOptions {
  /** Default: none. */
  readonly playbooks?: readonly Playbook[];
  /** Where compiled rule packs are kept. Default: with this coordinator. */
  readonly shelf?: PackShelf;
}

/**
 * The coordinator is a Hermes agent whose tools are the other agents' methods, met as manifests at run time. Its goals
 * are entries of its own log, so that it can die at any moment and go on.
 */
export async function startCoordinator(
  doors: AgentDoors,
  policy: AgentPolicy,
  options: CoordinatorOptions = {},
): Promise<Coordinator> {
  const { playbooks = [], shelf } = options;
  let discovery: Discovery | undefined;
  let goals: GoalService | undefined;
  let planner: Planner | undefined;
  let remembering: { stop(): void } | undefined;
  /** Of an earlier life; read before anybody can submit one to this. */
  let left: readonly GoalId[] = [];
  const methods = async (cell: Cell): Promise<ReadonlyMap<string, BuiltinMethod>> => {
    const { clock, logger, transport } = doors;
    discovery = createDiscovery(
      { caller: cell.caller, liveness: transport.liveness, logger, clock },
      { self: COORDINATOR, known: await rememberedManifests(cell) },
    );
    const { manifests, onChange } = discovery;
    onChange(() => {
      for (const one of manifests()) cell.spoken.set(componentName(one.component), one.supported_mcp_versions);
    });
    remembering = rememberManifests(cell, discovery);
    const { site } = policy;
    planner = createPlanner({ discovery, site, logger, self: COORDINATOR, playbooks, ...(shelf ? { shelf } : {}) });
    goals = createGoalService({ cell, discovery, planner });
    left = await goals.store.open();
    return goalMethods(goals);
  };
  const agent = await startAgent(
    {
      name: COORDINATOR,
      version: VERSION,
      description: { zh: '生产协调：目标、计划、派发', en: 'production coordination: goals, plans, dispatch' },
      tools: [],
      maySpeakForPeople: true,
      countersigns: true,
      exclusive: 'goals',
      projections: [goalIndex, approvalIndex],
      methods,
    },
    doors,
    policy,
  );
  const parts = { agent, goals: goals as unknown as GoalService, discovery: discovery as unknown as Discovery };
  const triggers = startEventTriggers(
    { events: agent.cell.events, logger: doors.logger, site: policy.site, submit: parts.goals.submit },
    playbooks,
  );
  return {
    ...parts,
    checkPlaybooks: () => planner?.checkPlaybooks(),
    takeUpOpenGoals: () => parts.goals.resume(left),
    async stop() {
      triggers.stop();
      remembering?.stop();
      parts.discovery.stop();
      parts.goals.stop();
      await agent.stop();
    },
  };
}

const submission = z.strictObject({
  goal: z.string().min(1),
  session_id: z.string().optional(),
  timeout_ms: z.number().int().positive().optional(),
});
const decided = z.strictObject({
  approval_id: z.string(),
  decision: z.enum(['approve', 'reject']),
  comment: z.string().max(LIMITS.commentChars).optional(),
});
const named = z.strictObject({ goal_id: z.string() });

/** Goals over the bus, with the same port as over HTTP; the request id is the idempotency key. */
function goalMethods(goals: GoalService): ReadonlyMap<string, BuiltinMethod> {
  const principal = (call: ServedCall) => call.request.principal ?? { id: 'nobody', roles: [] };
  const params = <T>(schema: z.ZodType<T>, call: ServedCall): T =>
    parseOrRefuse(schema, call.request.params, call.request.method, '/params');
  return new Map<string, BuiltinMethod>([
    ['submit_goal', (call) => goals.submit(params(submission, call), principal(call), call.request.request_id)],
    ['get_goal', (call) => goals.get(params(named, call).goal_id)],
    ['cancel_goal', (call) => goals.cancel(params(named, call).goal_id, principal(call))],
    ['list_approvals', async () => ({ approvals: await goals.approvals('pending') })],
    [
      'decide_approval',
      (call) => {
        const { approval_id, decision, comment } = params(decided, call);
        return goals.decide(approval_id, decision, { principal: principal(call), auth: 'none' }, comment);
      },
    ],
    ['list_goals', () => goals.list({ limit: 50 })],
    [
      'ask',
      async (call) => {
        const schema = z.strictObject({ text: z.string().min(1), session_context_id: z.string().optional() });
        const { text, session_context_id } = params(schema, call);
        const asked = { goal: text, ...(session_context_id ? { session_id: session_context_id } : {}) };
        const { goal_id } = await goals.submit(asked, principal(call), call.request.request_id);
        return goals.settled(goal_id, call.deadline.remainingMs());
      },
    ],
  ]);
}
