import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { HermesError } from '../../shared/errors.js';
import { createHttpClient, type HttpClient } from '../http-client.js';
import { print, table } from '../output.js';

interface Entry {
  readonly at: number;
  readonly kind: string;
  readonly subject: string;
  readonly request_id?: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly unreadable?: string;
}
interface Journal {
  readonly entries: readonly Entry[];
  readonly gaps: number;
}
interface Options {
  readonly goal?: string;
  readonly request?: string;
  readonly trace?: string;
  readonly since?: string;
  readonly limit?: string;
  readonly json?: boolean;
}

/** `hermes journal`: what components said to each other. `export` prints it whole, as a test can replay it. */
export function journalCommand(): Command {
  const command = withFilters(new Command('journal').description('what components said to each other')).action(
    async (_options: Options, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      const journal = await ask(options);
      print(options.json ? journal : overview(journal));
    },
  );
  withFilters(command.command('export').description('the messages whole, as JSON')).action(
    async (_options: Options, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      const { goal, request, trace } = options;
      print({ ...(await ask(options)), of: { goal, request, trace } });
    },
  );
  return command;
}

const withFilters = (command: Command): Command =>
  command
    .option('--goal <id>', 'of one goal')
    .option('--request <id>', 'of one request id')
    .option('--trace <id>', 'of one trace')
    .option('--since <time>', 'not before: Unix milliseconds or ISO 8601')
    .option('--limit <n>', 'the newest so many, default 200, at most 500')
    .option('--json', 'as JSON');

async function ask({ goal, request, trace, since, limit }: Options): Promise<Journal> {
  const client = createHttpClient(loadConfig().values.url);
  if ([goal, request, trace].filter((one) => one !== undefined).length > 1) {
    throw new HermesError('invalid_params', 'say one of --goal, --request and --trace', {
      fields: [{ pointer: '--goal', problem: 'one of the three' }],
    });
  }
  const traceId = goal === undefined ? trace : await traceOf(client, goal);
  const wanted = { request_id: request, trace_id: traceId, since, limit };
  const given = Object.entries(wanted).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return client.get<Journal>(`/v1/journal?${new URLSearchParams(given)}`);
}

const traceOf = async (client: HttpClient, goalId: string): Promise<string> =>
  (await client.get<{ trace_id: string }>(`/v1/goals/${encodeURIComponent(goalId)}`)).trace_id;

function overview({ entries, gaps }: Journal): string {
  const rows = entries.map(({ at, kind, request_id, message, unreadable }) => [
    new Date(at).toISOString().slice(11, 23),
    kind,
    String(message.caller ?? message.served_by ?? message.source ?? ''),
    String(message.callee ?? message.topic ?? ''),
    String(message.method ?? ''),
    unreadable === undefined ? outcomeOf(kind, message) : 'unreadable',
    request_id ?? '',
  ]);
  const said = table([['time', 'kind', 'from', 'to', 'method', 'outcome', 'request'], ...rows]);
  return gaps === 0 ? said : `${said}\n${gaps} messages could not be kept`;
}

function outcomeOf(kind: string, message: Readonly<Record<string, unknown>>): string {
  const error = message.error as { data?: { reason?: string } } | undefined;
  if (error) return error.data?.reason ?? 'error';
  return kind === 'reply' || kind === 'tool' ? 'ok' : '';
}
