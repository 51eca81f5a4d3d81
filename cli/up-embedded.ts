import { openHttpServer } from '../coordinator/index.js';
import { openTransport } from '../mcp/transport/index.js';
import { assembleSite, intakeOf, loadAgents, opening } from '../topology/index.js';
import { banner } from './banner.js';
import { pageDir } from './paths.js';
import { equip, type SiteProcess, simUrlOf } from './site-process.js';
import { startSiteSimulators } from './site-simulators.js';
import { toolsLine } from './tools-mode.js';

/** A site that is up: what to tell about it, and its end. */
export interface UpSite {
  readonly banner: string;
  stop(): Promise<void>;
}

/** Everything in this process: simulated devices, agents, coordinator, page. @throws HermesError of what fails. */
export function upEmbedded(own: SiteProcess, withSimulators: boolean): Promise<UpSite> {
  const { values, topology, site, dataDir, clock, random, logger, metrics, telemetry } = own;
  return opening(logger, async (opened) => {
    const transport = await openTransport('embedded', { dataDir, clock, random, logger, metrics });
    opened.keep(() => transport.close());
    const simulators = withSimulators ? await startSiteSimulators(own) : undefined;
    if (simulators) opened.keep(() => simulators.stop());
    const simUrl = simulators?.controlUrl ?? simUrlOf(values);
    const { doors, resolveLink } = await equip(own, { connect: () => transport }, simUrl);
    const running = await assembleSite(topology, site, doors, await loadAgents(topology, doors.admission));
    opened.keep(() => running.stop());
    const http = await openHttpServer(
      {
        coordinator: running.coordinator,
        intake: intakeOf(running),
        journal: running.journal,
        site,
        clock,
        logger,
        resolveLink,
        problems: running.problems,
        expected: topology.agents.map((agent) => agent.name),
        pageDir: pageDir(),
        metricsText: telemetry.metricsText,
      },
      { host: values.http_host, port: values.http_port },
    );
    opened.keep(() => http.close());
    const lines = toolsLine(doors.admission);
    const facts = {
      topology,
      page: http.url,
      dataDir,
      lines,
      ...(simulators ? { simUrl: simulators.controlUrl } : {}),
    };
    return { banner: banner(facts), stop: opened.close };
  });
}
