import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { createHttpClient, type HttpClient } from '../http-client.js';
import { print, table } from '../output.js';

export interface ApprovalView {
  readonly approval_id: string;
  readonly goal_id: string;
  readonly step_id: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly risk: string;
  readonly effects: readonly {
    readonly capability: string;
    readonly target: string;
    readonly before?: unknown;
    readonly after?: unknown;
  }[];
  readonly rollback: { readonly name: string; readonly description: string } | { readonly none: string };
  readonly requester: string;
  readonly expires_at: string;
  readonly decision?: string;
  readonly decided_by?: string;
}
interface Options {
  readonly json?: boolean;
  readonly all?: boolean;
  readonly as?: string;
  readonly comment?: string;
}

export const clientAs = (user: string | undefined): HttpClient => {
  const headers: Record<string, string> = user === undefined ? {} : { 'x-hermes-user': user };
  return createHttpClient(loadConfig().values.url, headers);
};

/** `hermes approvals`: steps that wait for a person; `approve`, `reject`, `renew` decide. */
export function approvalsCommand(): Command {
  const command = new Command('approvals')
    .description('steps that wait for a decision')
    .option('--all', 'those that were decided, too')
    .option('--json', 'as JSON')
    .action(async (options: Options) => {
      const { approvals } = await clientAs(undefined).get<{ approvals: ApprovalView[] }>(
        `/v1/approvals?state=${options.all ? 'all' : 'pending'}`,
      );
      if (options.json) return print({ approvals });
      print(approvals.length === 0 ? 'nothing waits for a decision' : approvals.map(shown).join('\n\n'));
    });
  for (const decision of ['approve', 'reject'] as const) {
    command
      .command(`${decision} <id>`)
      .description(decision === 'approve' ? 'the step goes on, as it was shown' : 'the step does not happen')
      .option('--comment <text>', 'said with it; stands on the record')
      .option('--as <person>', 'who decides, where nobody has to prove who they are')
      .option('--json', 'as JSON')
      .action(async (id: string, options: Options) => {
        const decided = await decide(clientAs(options.as), id, decision, options.comment);
        print(options.json ? decided : `${decided.approval_id}  ${decided.decision} by ${decided.decided_by}`);
      });
  }
  command
    .command('renew <id>')
    .description('asks again: the time to decide begins anew')
    .option('--as <person>', 'who asks')
    .option('--json', 'as JSON')
    .action(async (id: string, options: Options) => {
      const renewed = await clientAs(options.as).send<ApprovalView>('POST', `${pathOf(id)}/renew`, {});
      print(options.json ? renewed : `${renewed.approval_id}  open until ${renewed.expires_at}`);
    });
  return command;
}

const pathOf = (id: string): string => `/v1/approvals/${encodeURIComponent(id)}`;

export const decide = (
  client: HttpClient,
  id: string,
  decision: 'approve' | 'reject',
  comment?: string,
): Promise<ApprovalView> => client.send('POST', pathOf(id), { decision, ...(comment ? { comment } : {}) });

/** What will happen, how it is undone, who asks and until when. */
export function shown({ approval_id, method, params, effects, rollback, ...about }: ApprovalView): string {
  const undo = 'none' in rollback ? `none: ${rollback.none}` : `${rollback.name}: ${rollback.description}`;
  const changes = effects.map(({ capability, target, before, after }) => {
    const change = after === undefined ? '' : ` ${JSON.stringify(before ?? null)} → ${JSON.stringify(after)}`;
    return ['effect', `${capability} ${target}${change}`];
  });
  const decided = about.decision ? [['decided', `${about.decision} by ${about.decided_by}`]] : [];
  return table([
    ['approval', approval_id],
    ['method', `${method} ${JSON.stringify(params)} (${about.risk} risk)`],
    ...changes,
    ['rollback', undo],
    ['asked by', `${about.requester}, goal ${about.goal_id}, step ${about.step_id}`],
    ['until', about.expires_at],
    ...decided,
  ]);
}
