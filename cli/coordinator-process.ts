import { type AgentIntake, COORDINATOR, openHttpServer } from '../coordinator/index.js';
import type { Config } from '../shared/config.js';
import { HermesError } from '../shared/errors.js';
import { opening, startCoordinatorProcess } from '../topology/index.js';
import { announce } from './announce.js';
import { pageDir } from './paths.js';
import { equip, natsDoors, openSiteProcess, simUrlOf } from './site-process.js';
import { leaveOnSignal, untilStopped } from './until-stopped.js';

export interface CoordinatorProcessWish {
  readonly url: string;
  readonly json: boolean;
}

/**
 * `hermes coordinator`: serves as soon as it has reached the network, whoever is there; `/readyz` says which agents of
 * the site file are missing. Beside another one it stands by without a page, until that one goes.
 */
export async function runCoordinator(values: Config, { url, json }: CoordinatorProcessWish): Promise<void> {
  const begun = leaveOnSignal();
  const own = openSiteProcess(values);
  const { topology, site, clock, logger, telemetry, dataDir } = own;
  const { doors, resolveLink } = await equip(own, natsDoors(own, url), simUrlOf(values));
  const stop = await opening(logger, async (opened) => {
    const running = await startCoordinatorProcess(topology, site, doors, { superseded });
    opened.keep(() => running.stop());
    const http = await openHttpServer(
      {
        coordinator: running.coordinator,
        intake: elsewhere(url),
        journal: running.journal,
        site,
        clock,
        logger,
        resolveLink,
        expected: topology.agents.map((agent) => agent.name),
        problems: running.problems,
        pageDir: pageDir(),
        metricsText: telemetry.metricsText,
      },
      { host: values.http_host, port: values.http_port },
    );
    opened.keep(() => http.close());
    const instances = [running.coordinator.agent.cell.instance];
    announce(
      { component: COORDINATOR, instances, url: http.url },
      () =>
        [
          `The coordinator of ${topology.site.name.en} (${topology.site.name.zh}) runs over ${url}`,
          `  pid      ${process.pid}`,
          `  page     ${http.url}`,
          `  ready    ${http.url}/readyz names the agents that are missing`,
          `  record   ${dataDir}`,
        ].join('\n'),
      json,
    );
    return opened.close;
  });
  begun();
  await untilStopped(stop);
}

/** It stood still for so long that another took its goals; it leaves in order, and may come again to stand by. */
function superseded(): void {
  process.stderr.write('another coordinator has taken over; this one ends\n');
  process.kill(process.pid, 'SIGTERM');
}

/** Over the network an agent comes by itself, under its own identity. */
function elsewhere(url: string): AgentIntake {
  const refuse = async (): Promise<never> => {
    throw new HermesError('invalid_params', 'this site runs over NATS: an agent joins in a process of its own', {
      fields: [{ pointer: '/name', problem: 'joins over NATS' }],
      suggestion: `run: hermes agent <name> --nats ${url}; it leaves when that process is stopped`,
    });
  };
  return { join: refuse, leave: refuse };
}
