import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

/** What the server says of a stream, asked over a connection of its own. */
export async function streamInfo(url: string, stream: string) {
  const connection = await connect({ servers: url.split(','), timeout: 2_000 });
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    return await manager.streams.info(stream);
  } finally {
    await connection.close();
  }
}

/** Name of the server that leads a stream. */
export async function leaderOf(url: string, stream: string): Promise<string> {
  return (await streamInfo(url, stream)).cluster?.leader ?? '';
}
