import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { createHttpClient } from '../http-client.js';
import { printLine } from '../output.js';

interface Options {
  readonly topic?: string;
  readonly json?: boolean;
}

/** `hermes events`: what happens on the network, as it happens, until it is stopped. */
export function eventsCommand(): Command {
  return new Command('events')
    .description('follow what happens on the network, until stopped')
    .option('--topic <topic>', 'only events of this topic, for example alarm.raised')
    .option('--json', 'one JSON object a line')
    .action(async ({ topic, json }: Options) => {
      const client = createHttpClient(loadConfig().values.url);
      const query = topic === undefined ? '' : `?topic=${encodeURIComponent(topic)}`;
      for await (const event of client.events(`/v1/events${query}`)) {
        const { at, source, data } = event as { at: number; topic: string; source: string; data: unknown };
        const line = `${new Date(at).toISOString()}  ${event.topic}  ${source}  ${JSON.stringify(data)}`;
        printLine(json ? JSON.stringify(event) : line);
      }
    });
}
