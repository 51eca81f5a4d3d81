import { checkPlan, type Understanding } from '../../agents/runtime/index.js';
import type { Discovery } from '../../mcp/index.js';
import { toHermesError } from '../../shared/errors.js';
import type { Planner } from '../planner/planner.js';
import { manifestOf } from './dispatch.js';
import type { Rehearsal } from './goal-port.js';

/** What a sentence would do, with everything that stands in its way; nothing is written and nobody is called. */
export function rehearse(
  { planner, discovery }: { planner: Planner; discovery: Discovery },
  understanding: Understanding,
  sessionId: string | undefined,
): Rehearsal {
  const { understood, outcome, language, prompt, explain } = understanding;
  let { placed_by } = understanding;
  const runs = outcome === 'plan' || outcome === 'repeat';
  const problems: unknown[] = [];
  let plan: Rehearsal['plan'] = { steps: [] };
  try {
    if (runs) ({ plan, placed_by } = planner.plan(understanding));
    if (runs) checkPlan(plan, (component) => manifestOf(discovery, component));
  } catch (thrown) {
    problems.push(toHermesError(thrown).toWire());
  }
  for (const { id, callee } of plan.steps) {
    const name = planner.answerSources.nameOf(callee);
    if (discovery.members(name).length === 0) problems.push({ step: id, reason: 'no_worker', callee });
  }
  return {
    understood,
    outcome,
    language,
    ...(sessionId ? { session_id: sessionId } : {}),
    ...(prompt ? { prompt } : {}),
    placed_by,
    plan,
    preflight: { ok: problems.length === 0, problems },
    ...(explain ? { explain } : {}),
  };
}
