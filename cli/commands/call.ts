import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { HermesError } from '../../shared/errors.js';
import { createHttpClient } from '../http-client.js';
import { print } from '../output.js';

/** `hermes call <component> <method> '<json>'`: one method of one agent, by hand. */
export function callCommand(): Command {
  return new Command('call')
    .description('call one method of one agent')
    .argument('<component>', 'agent, for example plc_controller')
    .argument('<method>')
    .argument('[params]', 'JSON', '{}')
    .option('--timeout <ms>', 'time to wait', '10000')
    .option('--json', 'as JSON, which it always is')
    .action(async (component: string, method: string, params: string, options: { timeout: string }) => {
      let parsed: unknown;
      try {
        parsed = JSON.parse(params);
      } catch (cause) {
        throw new HermesError(
          'invalid_params',
          'the parameters are not JSON',
          { fields: [{ pointer: '/params', problem: 'not JSON' }] },
          { cause },
        );
      }
      const body = { method, params: parsed, timeout_ms: Number(options.timeout) };
      print(
        await createHttpClient(loadConfig().values.url).send(
          'POST',
          `/v1/agents/${encodeURIComponent(component)}/call`,
          body,
        ),
      );
    });
}
