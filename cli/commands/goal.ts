import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { createHttpClient, type HttpClient } from '../http-client.js';
import { print } from '../output.js';

interface GoalView {
  readonly goal_id: string;
  readonly trace_id: string;
  readonly session_id: string;
  readonly state: string;
  readonly answer?: { readonly text: string };
  readonly prompt?: { readonly text: string };
}
interface Options {
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly session?: string;
  readonly timeout?: string;
  readonly dryRun?: boolean;
}

/** `hermes goal "<text>"`: submits, follows, prints the answer; exit 0 only for completed. */
export function goalCommand(): Command {
  return new Command('goal')
    .description('send a goal, in Chinese or English')
    .argument('<text>')
    .option('-f, --follow', 'show each step as it goes')
    .option('--session <id>', 'speak in this session')
    .option('--timeout <ms>', 'time for the whole goal')
    .option('--dry-run', 'show the plan; run nothing')
    .option('--json', 'as JSON')
    .action(async (text: string, options: Options) => {
      const client = createHttpClient(loadConfig().values.url);
      const body = {
        goal: text,
        ...(options.session ? { session_id: options.session } : {}),
        ...(options.timeout ? { timeout_ms: Number(options.timeout) } : {}),
      };
      if (options.dryRun) return print(await client.send('POST', '/v1/goals', { ...body, dry_run: true }));
      const accepted = await client.send<GoalView>('POST', '/v1/goals', body);
      if (options.follow && !options.json) await follow(client, accepted.goal_id);
      const goal = await settled(client, accepted.goal_id);
      if (options.json) print(goal);
      else print(goal.prompt?.text ?? goal.answer?.text ?? goal.state);
      if (!options.json)
        process.stderr.write(
          `${goal.state}  goal ${goal.goal_id}  session ${goal.session_id}  trace ${goal.trace_id}\n`,
        );
      if (goal.state !== 'completed') process.exitCode = 1;
    });
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
    if (now.state === 'paused') return now;
  }
  return client.get(`/v1/goals/${goalId}`);
}
