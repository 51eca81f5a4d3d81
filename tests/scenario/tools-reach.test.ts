import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/clock.js';
import { entryOf, type Factory, readAgent, runInSandbox, startFactory } from '../../topology/index.js';
import { demoTopology } from '../support/demo-site.js';

/** Tools that reach for more than their context, and what stands in the way of each. */
const REACHING = [
  { module: 'files', scan: "'node:fs' is not for tools", sandbox: 'node:fs' },
  { module: 'network', scan: 'fetch is not for tools', sandbox: 'fetch' },
  { module: 'environment', scan: 'process is not for tools', sandbox: 'process.env.HOME' },
  { module: 'socket', scan: "'node:net' is not for tools", sandbox: 'node:net' },
  { module: 'undeclared-register', scan: 'modbus.write is used and not declared', case: 'modbus.write:PLC-003' },
  { module: 'wider-target', scan: 'modbus.read:AHU-1 is wider than declared', case: 'modbus.read:AHU-1' },
];
const WRITES = [5, 6, 15, 16];
const moduleOf = (name: string): string => `tests/support/reaching/${name}.ts`;

/** The demo site with one guest more, who serves nothing. */
function siteWith(module: string) {
  const topology = demoTopology();
  const guest = { name: 'guest', kind: 'guest', module, instances: 1, grants: ['modbus.read', 'modbus.write'] };
  const row = { ...guest, serves: { devices: [], floors: [], zones: [] }, allow: {} };
  return { ...topology, agents: [...topology.agents, row] };
}

describe.each(REACHING)('$module', ({ module, scan, sandbox, case: inCase }) => {
  test('is found by the scan, at its line', () => {
    const { findings } = readAgent(entryOf(moduleOf(module)));
    expect(findings.map(({ message }) => message).join()).toContain(scan);
    expect(findings[0]).toMatchObject({ file: moduleOf(module), line: expect.any(Number) });
  });

  test('is stopped in the sandbox, and found where the tool swallows the error', async () => {
    const wanted = { topology: siteWith(moduleOf(module)), agent: 'guest' };
    const { answer } = await runInSandbox(entryOf(moduleOf(module)), wanted, systemClock());
    expect(answer.failed).toBeUndefined();
    if (sandbox !== undefined) expect(answer.reached).toContain(sandbox);
    const problems = answer.reports.flatMap((report) => report.problems).join();
    if (inCase !== undefined) expect(problems).toContain(`outcome undeclared_effect (reach reached for ${inCase}`);
  });

  test('does not start in production', async () => {
    await expect(startFactory(siteWith(moduleOf(module)))).rejects.toMatchObject({
      reason: 'not_allowed',
      message: expect.stringContaining(scan),
    });
  });
});

describe('what no scan sees is stopped while the site runs', () => {
  let factory: Factory;
  beforeAll(async () => {
    factory = await startFactory(demoTopology());
    for (const name of ['computed-target', 'computed-register'])
      await factory.join(name.replace('-', '_'), moduleOf(name));
  });
  afterAll(() => factory.stop());

  test.each([
    ['computed_target', 'modbus.read:AHU-1'],
    ['computed_register', 'modbus.write:PLC-003'],
  ])('%s: no frame leaves, and it is on the record', async (name, wanted) => {
    const { caller } = factory.agent('production_coordinator').cell;
    const { cell } = factory.agent(name);
    const entries: unknown[] = [];
    const watch = cell.view.onEntry((entry) => void entries.push(entry));
    const before = factory.world.frames({}).length;
    const call = { callee: cell.component, method: 'reach', params: {}, deadlineAt: factory.clock.now() + 5_000 };
    await expect(caller.call(call)).rejects.toMatchObject({
      reason: 'undeclared_effect',
      message: expect.stringContaining(wanted),
    });
    await cell.view.catchUp();
    watch.stop();
    expect(entries).toMatchObject([
      { kind: 'finished', outcome: 'failed', error: { data: { reason: 'undeclared_effect' } } },
    ]);
    const frames = factory.world.frames({}).slice(before);
    expect(frames.filter(({ fc }) => WRITES.includes(fc))).toEqual([]);
  });
});
