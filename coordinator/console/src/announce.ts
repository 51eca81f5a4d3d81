import type { Goal } from './contract.js';
import type { Texts } from './texts.js';

/** What changed between two views of a goal, as a sentence for a screen reader. Empty when nothing did. */
export function announce(before: Goal | undefined, after: Goal, text: Texts): string {
  const said: string[] = [];
  const known = before?.goal_id === after.goal_id ? before : undefined;
  const states = new Map((known?.plan?.steps ?? []).map((step) => [step.id, step.state]));
  for (const step of after.plan?.steps ?? []) {
    const was = states.get(step.id);
    if (step.state !== was && step.state !== 'pending') said.push(`${step.method}: ${text.stepStates[step.state]}`);
  }
  if (known?.state !== after.state) said.push(`${text.goal}: ${text.goalStates[after.state]}`);
  if (after.prompt && known?.prompt?.text !== after.prompt.text) said.push(`${text.prompt}: ${after.prompt.text}`);
  return said.join('. ');
}
