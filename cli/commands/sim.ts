import { Command } from 'commander';
import { loadConfig } from '../../shared/config.js';
import { HermesError } from '../../shared/errors.js';
import { createHttpClient, type HttpClient } from '../http-client.js';
import { print } from '../output.js';

const client = (): HttpClient => {
  const { sim_url, sim_port } = loadConfig().values;
  return createHttpClient(sim_url ?? `http://127.0.0.1:${sim_port}`);
};

/** `hermes sim …`: the simulated site from outside: devices, faults, mails, frames. */
export function simCommand(): Command {
  const command = new Command('sim').description('look at the simulated site, and break it');
  command.command('links').action(async () => print(await client().get('/sim/links')));
  command
    .command('devices')
    .argument('[id]')
    .action(async (id?: string) =>
      print(await client().get(id ? `/sim/devices/${encodeURIComponent(id)}` : '/sim/devices')),
    );
  command
    .command('fault')
    .description('hermes sim fault PLC-007 delay --params \'{"ms":2000}\'')
    .argument('[device]')
    .argument('[kind]')
    .option('--params <json>', 'parameters of the fault')
    .option('--after <ms>', 'begins later')
    .option('--for <ms>', 'ends by itself')
    .action(
      async (
        device: string | undefined,
        kind: string | undefined,
        options: { params?: string; after?: string; for?: string },
      ) => {
        if (!device || !kind) return print(await client().get('/sim/faults'));
        const fault = {
          device,
          kind,
          ...(options.params ? { params: parseJson(options.params) } : {}),
          ...(options.after ? { after_ms: Number(options.after) } : {}),
          ...(options.for ? { for_ms: Number(options.for) } : {}),
        };
        print(await client().send('POST', '/sim/faults', fault));
      },
    );
  command
    .command('clear')
    .argument('<fault_id>')
    .action(async (id: string) => {
      await client().send('DELETE', `/sim/faults/${encodeURIComponent(id)}`);
    });
  command
    .command('mail')
    .option('--to <who>')
    .action(async (options: { to?: string }) =>
      print(await client().get(`/sim/mail${options.to ? `?to=${encodeURIComponent(options.to)}` : ''}`)),
    );
  command.command('webhooks').action(async () => print(await client().get('/sim/webhooks')));
  command
    .command('frames')
    .option('--device <id>')
    .option('--since <unix ms>')
    .action(async (options: { device?: string; since?: string }) => {
      const query = new URLSearchParams(
        Object.entries(options).filter(([, value]) => value !== undefined) as [string, string][],
      );
      print(await client().get(`/sim/frames?${query}`));
    });
  command.command('reset').action(async () => {
    await client().send('POST', '/sim/reset', {});
  });
  for (const each of command.commands) each.option('--json', 'as JSON, which it always is');
  return command;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HermesError(
      'invalid_params',
      `not JSON: ${text}`,
      { fields: [{ pointer: '/params', problem: 'not JSON' }] },
      { cause },
    );
  }
}
