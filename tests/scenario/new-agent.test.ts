import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Factory, startFactory } from '../../topology/index.js';
import { ROOT, repositoryFiles } from '../support/arch-source.js';
import { demoTopology } from '../support/demo-site.js';
import { type HermesProcess, startHermes, startProgram } from '../support/hermes-process.js';

/** Adding an agent is cheap: a folder of its own, and no other file. */
describe('an agent that nobody was told of', () => {
  let factory: Factory;
  beforeAll(async () => {
    factory = await startFactory(demoTopology());
    await factory.join('sample_agent', 'agents/template');
    await factory.join('energy_optimizer_agent', 'examples/energy-optimizer');
  });
  afterAll(() => factory.stop());

  test.each([
    ['查看PLC-003的样板概况', 'sample_agent_v1.0', 'sample_agent_overview'],
    ['sample agent overview of PLC-003', 'sample_agent_v1.0', 'sample_agent_overview'],
    ['给三楼A区一个节能建议', 'energy_optimizer_agent_v1.0', 'advise_energy'],
    ['energy advice for zone A on floor 3', 'energy_optimizer_agent_v1.0', 'advise_energy'],
  ])('is dispatched by a sentence of its own rule pack: %s', async (text, callee, method) => {
    const goal = await factory.goal(text);
    expect(goal).toMatchObject({ state: 'completed', plan: { steps: [{ callee, method, state: 'completed' }] } });
  });

  test('stands in one plan with agents of the topology', async () => {
    const goal = await factory.goal('查看PLC-003的样板概况，然后给三楼A区一个节能建议，并通知张工');
    expect(goal.state).toBe('completed');
    expect(goal.plan.steps.map((step) => step.method)).toEqual(['sample_agent_overview', 'advise_energy', 'notify']);
  });

  test('leaves the sentences of the others as they were', async () => {
    const goal = await factory.goal('查PLC-003状态');
    expect(goal.plan.steps).toMatchObject([{ callee: 'plc_controller_v1.2', method: 'get_device_status' }]);
  });

  test('may only read, whatever it is made of: a second scheduler writes nothing and takes no sentence', async () => {
    const second = await factory.join('a_scheduler', 'agents/scheduling');
    const called = factory.agent('production_coordinator').cell.caller.call({
      callee: second.cell.component,
      method: 'create_work_order',
      params: { zone: 'F3-A' },
      principal: { id: 'tester', roles: ['admin'] },
      deadlineAt: factory.clock.now() + 5_000,
    });
    await expect(called).rejects.toMatchObject({ reason: 'not_allowed' });
    const goal = await factory.goal('给三楼A区建一个维修工单');
    expect(goal.plan.steps).toMatchObject([{ callee: 'maintenance_scheduling_agent_v1.0', state: 'completed' }]);
  });

  test('keeps what it did on a record of its own', async () => {
    const goal = await factory.goal('给三楼B区一个节能建议');
    const { view } = factory.agent('energy_optimizer_agent').cell;
    await view.catchUp();
    const scopes = await view.scopes();
    const entries = await Promise.all(scopes.map((scope) => view.entries(scope, {})));
    const own = entries.flat().filter((entry) => entry.goal_id === goal.goal_id);
    expect(own).toMatchObject([{ kind: 'finished', outcome: 'confirmed', tool: { name: 'advise_energy' } }]);
  });
});

describe('hermes new agent, in a checkout of its own', () => {
  const home = mkdtempSync(join(tmpdir(), 'hermes-new-agent-'));
  const checkout = join(home, 'checkout');
  const started: HermesProcess[] = [];
  beforeAll(() => {
    for (const file of repositoryFiles(true)) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true });
      cpSync(join(ROOT, file), join(checkout, file));
    }
    symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(checkout, 'node_modules'));
  });
  afterAll(async () => {
    for (const one of started) await one.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });

  /** Every file of the checkout with its digest. */
  const contents = (): Record<string, string> =>
    Object.fromEntries(
      readdirSync(checkout, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((file) => [
          file.slice(checkout.length + 1),
          createHash('sha256').update(readFileSync(file)).digest('hex'),
        ]),
    );
  const ran = async (process: HermesProcess): Promise<string> => {
    started.push(process);
    const exit = await process.exited;
    expect(exit, process.output()).toBe(0);
    return process.output();
  };
  const hermes = (args: readonly string[], environment: Record<string, string> = {}): Promise<string> =>
    ran(startHermes(args, environment, checkout));
  const tool = (name: string, ...args: string[]): Promise<string> =>
    ran(startProgram([join(checkout, 'node_modules/.bin', name), ...args], {}, checkout));

  test('builds, passes its tests, joins and is dispatched; no other file changed', { timeout: 180_000 }, async () => {
    const before = contents();
    const said = await hermes(['new', 'agent', 'coolant', '--zh', '冷却液']);
    expect(said).toContain('npx hermes agent coolant');
    const after = contents();
    const added = Object.keys(after).filter((file) => !(file in before));
    expect(added.sort()).toEqual(said.split('\n').filter((line) => line.startsWith('agents/coolant/')));
    expect(added.every((file) => file.startsWith('agents/coolant/'))).toBe(true);
    expect({ ...after, ...before }).toEqual(after);

    await tool('tsc', '--noEmit');
    await tool('biome', 'ci', 'agents/coolant');
    expect(await tool('vitest', 'run', '--project', 'unit', 'agents/coolant')).toMatch(/Tests .*passed/);

    const site = startHermes(['up', '--port', '0', '--sim-port', '0', '--data-dir', join(home, 'data')], {}, checkout);
    started.push(site);
    const [, url = ''] = await site.find(/page {5}(http:\S+)/);
    const asked = { HERMES_URL: url };
    expect(await hermes(['agent', 'coolant'], asked)).toContain('coolant_v1.0 has joined');
    expect(await hermes(['goal', '查看PLC-003的冷却液概况'], asked)).toContain('PLC-003 有');
    const english = await fetch(`${url}/v1/goals?wait=20000`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ goal: 'coolant overview of PLC-003' }),
    });
    expect(await english.json()).toMatchObject({ state: 'completed', plan: { steps: [{ callee: 'coolant_v1.0' }] } });
    expect(await hermes(['agent', 'coolant', '--leave'], asked)).toContain('coolant has left');
    expect(await (await fetch(`${url}/v1/agents`)).text()).not.toContain('coolant');
    expect(await site.kill('SIGTERM')).toBe(0);
  });
});
