import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openModbusLink } from '../../agents/drivers/index.js';
import { type HttpServer, openHttpServer } from '../../coordinator/index.js';
import { openTransport } from '../../mcp/transport/index.js';
import { systemClock } from '../../shared/clock.js';
import { softwareKeyProvider } from '../../shared/keys/index.js';
import { systemRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { type CoordinatorProcess, type SiteDoors, siteOf, startCoordinatorProcess } from '../../topology/index.js';
import { linesTopology } from '../support/demo-site.js';
import { type NatsServer, startNatsServer } from '../support/nats-server.js';
import { testSigning } from '../support/test-signing.js';
import { silentMetrics } from '../support/transport-harness.js';

/** A coordinator without its agents over a real nats-server, whose JetStream goes while the server stays. */
const clock = systemClock();
const dataDir = mkdtempSync(join(tmpdir(), 'hermes-readiness-'));
let nats: NatsServer;
let running: CoordinatorProcess;
let http: HttpServer;

beforeAll(async () => {
  nats = await startNatsServer();
  const topology = linesTopology();
  const random = systemRandom();
  const [logger, metrics] = [silentLogger(), silentMetrics()];
  const transport = { url: nats.url, tenant: topology.tenant, dataDir, clock, random, logger, metrics };
  const doors: SiteDoors = {
    connect: (component) => openTransport('nats', { ...transport, component }),
    disconnect: (one) => one.close(),
    ...{ clock, random, logger, metrics },
    keys: softwareKeyProvider('test', random.bytes(32), random),
    signing: () => testSigning(),
    openLink: (link) =>
      openModbusLink(
        { clock, random, logger, metrics, resolve: async () => ({ host: '127.0.0.1', port: 1 }) },
        { link },
      ),
  };
  running = await startCoordinatorProcess(topology, siteOf(topology), doors);
  const never = async (): Promise<never> => {
    throw new Error('nobody joins here');
  };
  http = await openHttpServer(
    {
      ...{ coordinator: running.coordinator, journal: running.journal, site: siteOf(topology), clock, logger },
      intake: { join: never, leave: never },
      resolveLink: async () => ({ host: '127.0.0.1', port: 1 }),
      expected: topology.agents.map(({ name }) => name),
    },
    { host: '127.0.0.1', port: 0 },
  );
}, 60_000);
afterAll(async () => {
  await http.close();
  await running.stop();
  await nats.close();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

interface Part {
  readonly ok: boolean;
  readonly error?: string;
}
interface Readiness {
  readonly status: string;
  readonly bus: Part;
  readonly log: Part;
  readonly agents: Part & { readonly missing: readonly string[] };
}
const ask = async (): Promise<{ code: number; took: number; said: Readiness }> => {
  const began = clock.monotonic();
  const response = await fetch(`${http.url}/readyz`);
  const said = (await response.json()) as Readiness;
  return { code: response.status, took: clock.monotonic() - began, said };
};
async function until(what: (said: Readiness) => boolean) {
  for (const end = clock.monotonic() + 30_000; ; await clock.sleep(50)) {
    const answer = await ask();
    if (what(answer.said)) return answer;
    if (clock.monotonic() > end) throw new Error(`never: ${JSON.stringify(answer.said)}`);
  }
}

describe('/readyz over NATS', () => {
  test('an agent that is missing degrades; bus and log are well', async () => {
    expect(await ask()).toMatchObject({
      code: 200,
      said: { status: 'degraded', bus: { ok: true }, log: { ok: true }, agents: { ok: false } },
    });
    expect((await ask()).said.agents.missing).toContain('plc_controller');
  });

  test('the log is down while the bus is well: unready, and it says which, in good time', {
    timeout: 90_000,
  }, async () => {
    await nats.reload(({ listen }) => `listen: "${listen}"\n`);
    const { code, took, said } = await until(({ log }) => !log.ok);
    expect(said).toMatchObject({ status: 'unready', bus: { ok: true }, log: { ok: false } });
    expect(said.log.error).toMatch(/^the log gives no answer|^JetStream/);
    expect(code).toBe(503);
    expect(took).toBeLessThan(4_000);
    // This server finds its streams again only when it starts anew.
    await nats.reload(({ listen, storeDir }) => `listen: "${listen}"\njetstream: { store_dir: "${storeDir}" }\n`);
    await nats.stop('SIGTERM');
    await nats.start();
    // Each has a connection of its own, which comes back in its own time.
    expect((await until(({ bus, log }) => bus.ok && log.ok)).code).toBe(200);
  });

  test('B5: a server that is stopped is a bus that is down, and a log that is', { timeout: 90_000 }, async () => {
    await nats.stop('SIGSTOP');
    const halted = await until(({ bus }) => !bus.ok);
    expect(halted).toMatchObject({ code: 503, said: { status: 'unready', log: { ok: false } } });
    expect(halted.took).toBeLessThan(6_000);
    await nats.stop('SIGCONT');
    expect((await until(({ bus, log }) => bus.ok && log.ok)).code).toBe(200);
    await nats.stop();
    const away = await until(({ bus }) => !bus.ok);
    expect(away).toMatchObject({ code: 503, said: { status: 'unready', log: { ok: false } } });
    expect(away.said.bus.error).toEqual(expect.any(String));
    await nats.start();
    expect((await until(({ bus, log }) => bus.ok && log.ok)).code).toBe(200);
  });
});
