import { join } from 'node:path';
import { type HttpServer, openHttpServer } from '../../coordinator/index.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { type Factory, intakeOf, startFactory } from '../../topology/index.js';
import { demoTopology } from './demo-site.js';

/** A whole site behind its real HTTP side, on free ports. */
export interface HttpSite {
  readonly factory: Factory;
  readonly http: HttpServer;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  stop(): Promise<void>;
}

/** @param dataDir where the record is kept; default a folder of its own. */
export async function startHttpSite(dataDir?: string): Promise<HttpSite> {
  const topology = demoTopology();
  const factory = await startFactory(topology, dataDir === undefined ? {} : { dataDir });
  const { coordinator, journal } = factory.site;
  const http = await openHttpServer(
    {
      coordinator,
      intake: intakeOf(factory.site),
      journal,
      site: factory.facts,
      clock: factory.clock,
      logger: silentLogger(),
      resolveLink: async (link) => factory.simulators.links()[link] ?? { host: '', port: 0 },
      problems: factory.site.problems,
      expected: topology.agents.map((agent) => agent.name),
      pageDir: join(import.meta.dirname, '../../dist/console'),
    },
    { host: '127.0.0.1', port: 0 },
  );
  return {
    factory,
    http,
    get: (path, headers = {}) => fetch(http.url + path, { headers }),
    post: (path, body, headers = {}) =>
      fetch(http.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async stop() {
      await http.close();
      await factory.stop();
    },
  };
}
