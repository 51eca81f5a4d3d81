import type { Topology } from '../topology/index.js';

const GOAL = '查PLC-007状态，如果离线，重启它并通知张工';

export interface BannerFacts {
  readonly topology: Topology;
  readonly page: string;
  /** Control endpoint of simulators that this process runs. */
  readonly simUrl?: string;
  readonly dataDir: string;
  /** What is said of where it runs: the network, the processes. */
  readonly lines?: readonly string[];
}

/** What runs, where, and one goal to paste. */
export function banner({ topology, page, simUrl, dataDir, lines = [] }: BannerFacts): string {
  const agents = topology.agents.map((agent) => agent.name).join(', ');
  const where = simUrl === undefined ? '' : `, simulated; faults, mail, frames: ${simUrl}/sim`;
  return [
    `Hermes network is up: ${topology.site.name.en} (${topology.site.name.zh})`,
    `  page     ${page}`,
    `  API      ${page}/docs`,
    `  agents   production_coordinator, ${agents}`,
    `  devices  ${topology.devices.length}${where}`,
    `  record   ${dataDir}`,
    ...lines,
    '  access   no authentication: this machine only, everybody here is its administrator',
    '',
    'Try a goal, on the page or here:',
    `  curl -s -X POST '${page}/v1/goals?wait=30000' -H 'content-type: application/json' -d '{"goal":"${GOAL}"}'`,
  ].join('\n');
}
