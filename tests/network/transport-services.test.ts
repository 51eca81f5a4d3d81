import { Svcm } from '@nats-io/services';
import { connect } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { openTransport, type Transport } from '../../mcp/transport/index.js';
import { startNatsServer } from '../support/nats-server.js';
import { bytes } from '../support/transport-harness.js';
import { natsOptions, untilTrue } from '../support/transport-nats.js';

test('B7: PING, INFO and STATS are answered by every instance, work is done by exactly one', async () => {
  const server = await startNatsServer();
  const open: { readonly transport: Transport; readonly cleanUp: () => Promise<void> }[] = [];
  const work: string[] = [];
  for (const instance of ['plc-a', 'plc-b', 'plc-c']) {
    const { options, cleanUp } = await natsOptions(server.url, { component: 'plc' });
    const transport = await openTransport('nats', options);
    transport.bus.subscribe('work', () => void work.push(instance), { queue: 'plc_v1' });
    transport.announce?.({ name: 'plc_v1', version: '1.2', description: 'PLC controller', metadata: { instance } });
    await transport.bus.flush();
    open.push({ transport, cleanUp });
  }
  const connection = await connect({ servers: server.url });
  const client = new Svcm(connection).client({ maxWait: 1_000, strategy: 'timer' });
  const instances = async (answers: Promise<AsyncIterable<{ metadata?: Record<string, string> }>>) => {
    const found: string[] = [];
    for await (const { metadata } of await answers) found.push(metadata?.instance ?? '');
    return found.sort();
  };
  const all = ['plc-a', 'plc-b', 'plc-c'];
  expect(await instances(client.ping('plc_v1'))).toEqual(all);
  expect(await instances(client.info('plc_v1'))).toEqual(all);
  expect(await instances(client.stats('plc_v1'))).toEqual(all);
  for (let n = 0; n < 30; n++) connection.publish('work', bytes(String(n)));
  await connection.flush();
  await untilTrue(() => work.length >= 30);
  expect(work.length).toBe(30);
  expect(new Set(work).size).toBe(3);

  // It comes back with its connection, and goes with its transport.
  await server.stop('SIGKILL');
  await untilTrue(() => open.every(({ transport }) => !transport.connected));
  await server.start();
  await untilTrue(() => open.every(({ transport }) => transport.connected), 20_000);
  await connection.close();
  const later = await connect({ servers: server.url });
  const again = new Svcm(later).client({ maxWait: 1_000, strategy: 'timer' });
  expect(await instances(again.ping('plc_v1'))).toEqual(all);
  await open[0]?.transport.close();
  expect(await instances(again.ping('plc_v1'))).toEqual(all.slice(1));
  await later.close();
  for (const { transport, cleanUp } of open) {
    await transport.close();
    await cleanUp();
  }
  await server.close();
}, 60_000);
