import { z } from 'zod';
import type { Clock } from '../shared/clock.js';
import { openDeadline } from '../shared/deadline.js';
import type { LinkAddress } from '../shared/device.js';
import { HermesError } from '../shared/errors.js';

const ASK_MS = 1_000;
const linksSchema = z.record(z.string(), z.object({ host: z.string(), port: z.number() }));

/**
 * Where a link is: `host:port` as it stands, `sim:<link>` as the simulators' control endpoint says now, so that both
 * sides may start in any order and come back on other ports.
 */
export type ResolveAddress = (address: string) => Promise<LinkAddress>;

export function createAddressResolver(clock: Clock, simControlUrl: string | undefined): ResolveAddress {
  return async (address) => {
    if (!address.startsWith('sim:')) return hostAndPort(address);
    const name = address.slice(4);
    if (simControlUrl === undefined) throw noSimulators(name, 'no simulators are configured');
    const limit = openDeadline(clock, clock.now() + ASK_MS);
    try {
      const response = await fetch(`${simControlUrl}/sim/links`, { signal: limit.signal });
      const links = linksSchema.parse(await response.json());
      const found = links[name];
      if (!found) throw noSimulators(name, `the simulators have no link ${name}`);
      return found;
    } catch (cause) {
      if (cause instanceof HermesError && cause.data.link === name) throw cause;
      throw noSimulators(name, `the simulators at ${simControlUrl} do not answer`, cause);
    } finally {
      limit.close();
    }
  };
}

function hostAndPort(address: string): LinkAddress {
  const { hostname, port } = new URL(address.includes('://') ? address : `tcp://${address}`);
  if (hostname !== '' && port !== '') return { host: hostname, port: Number(port) };
  throw new HermesError('invalid_params', `${address} is no address`, { suggestion: 'write host:port or sim:<link>' });
}

const noSimulators = (link: string, message: string, cause?: unknown): HermesError =>
  new HermesError(
    'tool_failed',
    message,
    { link, cause: 'refused', suggestion: 'start them: hermes simulate' },
    { cause },
  );
