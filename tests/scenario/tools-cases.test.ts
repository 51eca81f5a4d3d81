import { describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import { entryOf, loadAgent, runInSandbox } from '../../topology/index.js';
import { demoTopology } from '../support/demo-site.js';

/** One agent for each module of the demo site: its cases are written for the first that runs it. */
const topology = demoTopology();
const first = topology.agents.filter(
  ({ kind }, index) => topology.agents.findIndex((row) => row.kind === kind) === index,
);

describe.each(first.map(({ name, kind }) => [kind, name]))('tools of agents/%s', (kind, agent) => {
  test('every tool has a case, and every case passes in the sandbox', async () => {
    const { answer } = await runInSandbox(entryOf(`agents/${kind}`), { topology, agent }, systemClock());
    expect(answer).toMatchObject({ reached: [] });
    expect(answer.failed).toBeUndefined();
    expect(answer.reports.filter(({ problems }) => problems.length > 0)).toEqual([]);
    const { tools } = (await loadAgent(agent, `agents/${kind}`))(agent);
    const names = tools.map((tool) => tool.manifest.name);
    expect([...new Set(answer.reports.map(({ tool }) => tool))].sort()).toEqual(names.sort());
  });
});
