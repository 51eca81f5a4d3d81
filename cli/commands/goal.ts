import { Command } from 'commander';
import { askPerson } from '../ask-person.js';
import type { HttpClient } from '../http-client.js';
import { print } from '../output.js';
import { type ApprovalView, clientAs, decide, shown } from './approvals.js';

interface GoalView {
  readonly goal_id: string;
  readonly trace_id: string;
  readonly session_id: string;
  readonly state: string;
  readonly answer?: { readonly text: string };
  readonly prompt?: { readonly text: string };
  readonly waiting_for?: string;
  readonly approvals: readonly ApprovalView[];
}
interface Options {
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly session?: string;
  readonly timeout?: string;
  readonly dryRun?: boolean;
  readonly as?: string;
}

/** `hermes goal "<text>"`: submits, follows, prints the answer; exit 0 only for completed. */
export function goalCommand(): Command {
  return new Command('goal')
    .description('send a goal, in Chinese or English')
    .argument('<text>')
    .option('-f, --follow', 'show each step as it goes; steps that need a decision are asked here')
    .option('--as <person>', 'who asks and decides, where nobody has to prove who they are')
    .option('--session <id>', 'speak in this session')
    .option('--timeout <ms>', 'time for the whole goal')
    .option('--dry-run', 'show the plan; run nothing')
    .option('--json', 'as JSON')
    .action(async (text: string, options: Options) => {
      const client = clientAs(options.as);
      const body = {
        goal: text,
        ...(options.session ? { session_id: options.session } : {}),
        ...(options.timeout ? { timeout_ms: Number(options.timeout) } : {}),
      };
      if (options.dryRun) return print(await client.send('POST', '/v1/goals', { ...body, dry_run: true }));
      const accepted = await client.send<GoalView>('POST', '/v1/goals', body);
      if (options.follow && !options.json) await follow(client, accepted.goal_id);
      let goal = await settled(client, accepted.goal_id);
      while (options.follow && !options.json && (await decideHere(client, goal))) {
        goal = await settled(client, accepted.goal_id);
      }
      if (options.json) print(goal);
      else print(saidOf(goal));
      if (!options.json)
        process.stderr.write(
          `${goal.state}  goal ${goal.goal_id}  session ${goal.session_id}  trace ${goal.trace_id}\n`,
        );
      if (goal.state !== 'completed') process.exitCode = 1;
    });
}

/** The answer or the question; of a goal that waits for people, what they have to decide. */
function saidOf({ prompt, answer, state, approvals }: GoalView): string {
  const open = approvals.filter(({ decision }) => !decision).map(shown);
  return prompt?.text ?? answer?.text ?? (open.length > 0 ? open.join('\n\n') : state);
}

/** Asks whoever sits at the terminal about the steps that wait. @returns whether something was decided. */
async function decideHere(client: HttpClient, goal: GoalView): Promise<boolean> {
  if (goal.waiting_for !== 'approval') return false;
  let decided = false;
  for (const approval of goal.approvals.filter(({ decision }) => !decision)) {
    process.stderr.write(`${shown(approval)}\n`);
    const said = await askPerson('approve? [y]es, [n]o, anything else: later  ');
    if (said !== 'y' && said !== 'n') continue;
    await decide(client, approval.approval_id, said === 'y' ? 'approve' : 'reject');
    decided = true;
  }
  return decided;
}

async function follow(client: HttpClient, goalId: string): Promise<void> {
  for await (const event of client.events(`/v1/goals/${goalId}/events`)) {
    if (event.type === 'step') {
      const step = event.step as { state?: string; why?: string; error?: { message: string } } | undefined;
      process.stderr.write(`  ${event.step_id}  ${step?.state ?? ''}  ${step?.error?.message ?? step?.why ?? ''}\n`);
    } else if (event.type === 'state' || event.type === 'phase') {
      process.stderr.write(`${event.state}${event.phase ? ` · ${event.phase}` : ''}\n`);
      if (event.state === 'paused' && (await client.get<GoalView>(`/v1/goals/${goalId}`)).state === 'paused') return;
    }
  }
}

/** The goal when it is final or waits for a person; the stream ends there. */
async function settled(client: HttpClient, goalId: string): Promise<GoalView> {
  for await (const event of client.events(`/v1/goals/${goalId}/events`)) {
    if (event.type !== 'state' || event.state !== 'paused') continue;
    // The stream begins with the past: a question that was answered since is no reason to stop.
    const now = await client.get<GoalView>(`/v1/goals/${goalId}`);
    if (now.waiting_for !== undefined) return now;
  }
  return client.get(`/v1/goals/${goalId}`);
}
