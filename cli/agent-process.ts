import { openHealthServer } from '../coordinator/index.js';
import { subjects } from '../mcp/index.js';
import { transportHealth } from '../mcp/transport/index.js';
import type { Config } from '../shared/config.js';
import { opening, type RunningAgents, startAgents } from '../topology/index.js';
import { announce } from './announce.js';
import { print } from './output.js';
import { moduleFolder } from './paths.js';
import { childOfUs } from './process-children.js';
import { equip, natsDoors, openSiteProcess, type SiteProcess, simUrlOf } from './site-process.js';
import { leaveOnSignal, untilStopped } from './until-stopped.js';
import { watchFolder } from './watch-folder.js';

/** An agent that is to run in this process, over NATS. */
export interface AgentProcessWish {
  readonly name: string;
  readonly url: string;
  readonly module?: string;
  readonly instances?: number;
  readonly json: boolean;
}

/**
 * `hermes agent <name> --nats URL`: instances of one agent until SIGTERM. Then they stop intake, finish or checkpoint
 * what runs, answer, say goodbye and leave, in less than 10 s.
 */
export async function runAgent(values: Config, { name, url, json, ...wanted }: AgentProcessWish): Promise<void> {
  const begun = leaveOnSignal();
  const own = openSiteProcess(values);
  const { topology, site, logger } = own;
  const { doors } = await equip(own, natsDoors(own, url), simUrlOf(values));
  const stop = await opening(logger, async (opened) => {
    const running = await startAgents(topology, site, doors, [{ name, ...wanted }], () => hasFailed(name));
    opened.keep(() => running.stop());
    const health =
      values.health_port === undefined ? undefined : await openHealth(own, name, running, values.health_port);
    if (health) opened.keep(() => health.close());
    const instances = running.agents.map(({ cell }) => cell.instance);
    const listed = topology.agents.some((row) => row.name === name);
    announce(
      { component: name, instances, ...(health ? { url: health.url } : {}) },
      () =>
        [
          `${running.agents[0]?.cell.component ?? name} runs over ${url}`,
          `  pid       ${process.pid}`,
          `  instances ${instances.join(', ')}`,
          ...(listed ? [] : ['  rights    no row in the site file: it serves nothing and may read']),
          ...(health ? [`  health    ${health.url}/readyz`] : []),
        ].join('\n'),
      json,
    );
    return opened.close;
  });
  begun();
  await untilStopped(stop);
}

/** Nothing of it runs any more: the process ends, in order, and whoever supervises it knows what to do. */
function hasFailed(name: string): void {
  process.stderr.write(`${name} was stuck again and again; this process ends\n`);
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
}

/** Ready: bus and log work for every instance of this process, and it is seen on the network. */
function openHealth({ clock, telemetry, values }: SiteProcess, name: string, running: RunningAgents, port: number) {
  const ready = async (): Promise<Record<string, unknown>> => {
    const instances = await Promise.all(
      running.agents.map(async ({ cell }) => {
        const { instance, doors, policy } = cell;
        const { transport } = doors;
        const health = await transportHealth(transport, clock, subjects.logOf(policy.tenant, name));
        const member = transport.liveness.members().find((one) => one.instance === instance);
        const state = member?.state ?? 'not seen on the network';
        return { instance, state, ...health, ok: health.bus.ok && health.log.ok && member !== undefined };
      }),
    );
    const works = instances.length > 0 && instances.every(({ ok }) => ok);
    const problems = running.problems();
    return { status: works ? 'ready' : 'unready', instances, ...(problems.length > 0 ? { problems } : {}) };
  };
  const sources = { now: () => clock.now(), ready, metricsText: telemetry.metricsText };
  return openHealthServer(sources, { host: values.http_host, port });
}

/** `--watch`: the same in a process of its own, which is started again when a file of the agent's folder changes. */
export async function watchAgent(values: Config, wish: AgentProcessWish): Promise<void> {
  const { topology, clock } = openSiteProcess(values);
  const row = topology.agents.find(({ name }) => name === wish.name);
  const folder = moduleFolder(wish.module ?? row?.module ?? (row ? `agents/${row.kind}` : undefined), wish.name);
  const start = () =>
    childOfUs(
      process.argv.slice(2).filter((word) => word !== '--watch'),
      ({ instances }) => print(`${wish.name} runs as ${instances.join(', ')}; watching ${folder}`),
    );
  let child = await start();
  const watching = watchFolder(clock, folder, async () => {
    print(`${folder} has changed; ${wish.name} starts again`);
    child.kill('SIGTERM');
    await child.exited;
    child = await start();
  });
  await untilStopped(async () => {
    await watching.stop();
    child.kill('SIGTERM');
    await child.exited;
  });
}
