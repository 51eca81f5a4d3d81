/**
 * Child process: joins as a member and prints `joined`, then does what its input says: `busy <ms>` blocks its main loop
 * and prints `free`, `leave` says goodbye and prints `left`. Arguments: address, tenant, instance, ttl, renewal.
 */
import { createInterface } from 'node:readline';
import { openTransport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { natsOptions } from './transport-nats.js';

const [url = '', tenant = '', instance = '', ttl = '', renew = ''] = process.argv.slice(2);
const clock = systemClock();
const { options } = await natsOptions(url, { tenant, component: 'member', ttlMs: Number(ttl), renewMs: Number(renew) });
const transport = await openTransport('nats', options);
const member = { component: 'member', instance, version: '1.0', since: 1, state: 'ready' } as const;
const membership = await transport.liveness.join(member);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say('joined');

for await (const line of createInterface({ input: process.stdin })) {
  const [command, argument] = line.split(' ');
  if (command === 'busy') {
    const until = clock.monotonic() + Number(argument);
    while (clock.monotonic() < until);
    say(`free ${Math.round(membership.renewedAgoMs())}`);
  } else if (command === 'leave') {
    await membership.leave();
    say('left');
  }
}
