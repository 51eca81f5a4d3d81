import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { createHttpClient } from '../http-client.js';
import { print, table } from '../output.js';

interface TraceView {
  readonly stages: readonly {
    readonly name: string;
    readonly component: string;
    readonly start_unix_ms: number;
    readonly ms: number;
    readonly error?: string;
    readonly rollback?: boolean;
  }[];
}
const BAR = 40;

/** `hermes trace <id>`: the waterfall of a trace, or of the goal with that id. */
export function traceCommand(): Command {
  return new Command('trace')
    .description('the timeline of a trace or goal')
    .argument('<id>', 'trace id or goal id')
    .option('--json', 'as JSON')
    .action(async (id: string, options: { json?: boolean }) => {
      const client = createHttpClient(loadConfig().values.url);
      const traceId = id.startsWith('g-') ? (await client.get<{ trace_id: string }>(`/v1/goals/${id}`)).trace_id : id;
      const trace = await client.get<TraceView>(`/v1/traces/${traceId}`);
      if (options.json) return print(trace);
      const start = Math.min(...trace.stages.map((stage) => stage.start_unix_ms));
      const end = Math.max(...trace.stages.map((stage) => stage.start_unix_ms + stage.ms));
      const scale = BAR / Math.max(1, end - start);
      const rows = trace.stages.map((stage) => {
        const from = Math.floor((stage.start_unix_ms - start) * scale);
        const bar = ' '.repeat(from) + '█'.repeat(Math.max(1, Math.round(stage.ms * scale)));
        const mark = [stage.error, stage.rollback ? 'rollback' : ''].filter(Boolean).join(' ');
        return [
          stage.name,
          stage.component,
          `+${(stage.start_unix_ms - start).toFixed(1)}`,
          `${stage.ms.toFixed(1)} ms`,
          bar,
          mark,
        ];
      });
      print(table([['stage', 'component', 'start', 'time', '', ''], ...rows]));
    });
}
