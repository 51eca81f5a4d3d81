import { type Service, Svcm } from '@nats-io/services';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { ServiceDescription } from '../transport.js';
import { messageOf } from './failure.js';
import type { Line } from './line.js';

/** `MAJOR.MINOR` of a component as the semantic version that the services protocol asks for. */
const semantic = (version: string): string => (/^\d+\.\d+$/.test(version) ? `${version}.0` : version);

/**
 * An instance as a NATS micro service: each answers PING, INFO and STATS for itself, in no queue group. Work does not
 * come this way. It comes back with its connection.
 */
export function announceService(line: Line, description: ServiceDescription, logger: Logger) {
  let service: Service | undefined;
  let stopped = false;
  const add = async (connection: NatsConnection): Promise<void> => {
    const { name, version, metadata } = description;
    const added = await new Svcm(connection).add({
      name,
      version: semantic(version),
      description: description.description ?? '',
      ...(metadata && { metadata: { ...metadata } }),
    });
    if (stopped) await added.stop();
    else service = added;
  };
  const announce = (connection: NatsConnection): void => {
    add(connection).catch((thrown: unknown) => {
      logger.warn({ service: description.name, detail: messageOf(thrown) }, 'an instance could not be announced');
    });
  };
  const forget = line.onUp((connection, fresh) => {
    if (fresh) announce(connection);
  });
  if (line.connected) announce(line.connection());
  return {
    async stop() {
      stopped = true;
      forget();
      const ended = await service?.stop();
      if (ended instanceof Error) logger.warn({ detail: messageOf(ended) }, 'an instance was not withdrawn');
    },
  };
}
