import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Factory, startFactory } from '../../topology/index.js';
import { demoTopology } from '../support/demo-site.js';

/** Each agent keeps its own memory; others see it through `memory_*`, with rights, and in no other way. */
let factory: Factory;
const dataDir = mkdtempSync(join(tmpdir(), 'hermes-stores-'));
beforeAll(async () => {
  factory = await startFactory(demoTopology(), { dataDir });
  const goal = await factory.goal('把三楼A区温度设为24度');
  expect(goal.state).toBe('completed');
});
afterAll(async () => {
  await factory.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const READ = { scope: 'zone_F3-A' };
const read = (from: string, principal = { id: 'li', roles: ['operator'] }, callee = 'floor3_hvac_agent') =>
  factory.agent(from).cell.caller.call({
    callee: `${callee}_v1.0`,
    method: 'memory_read',
    params: READ,
    principal,
    deadlineAt: Date.now() + 5_000,
  });

describe('stores of agents', () => {
  test('are a folder each', () => {
    for (const { name } of factory.facts.agents) expect(existsSync(join(dataDir, name, '0')), name).toBe(true);
  });

  test('hold what the agent itself recorded, and nothing of the others', async () => {
    const holders: string[] = [];
    for (const { name } of factory.facts.agents) {
      const { view } = factory.agent(name).cell;
      await view.catchUp();
      if ((await view.scopes()).includes('zone_F3-A' as never)) holders.push(name);
    }
    expect(holders).toEqual(['floor3_hvac_agent']);
  });

  test('are read through memory_read by the coordinator, on behalf of somebody with the right', async () => {
    const { response } = await read('production_coordinator');
    expect(response.result).toMatchObject({ scope: 'zone_F3-A', version: 1, data: { setpoint_c: 24 } });
  });

  test.each([
    ['another agent', 'floor2_hvac_agent', ['admin'], 'not_allowed'],
    ['a person without the right', 'production_coordinator', ['nobody'], 'scope_denied'],
  ])('are closed to %s', async (_who, from, roles, reason) => {
    await expect(read(from, { id: 'x', roles })).rejects.toMatchObject({ reason });
  });

  test('are not reached over a third: another agent has no such scope', async () => {
    const foreign = read('production_coordinator', { id: 'a', roles: ['admin'] }, 'floor2_hvac_agent');
    await expect(foreign).rejects.toMatchObject({ reason: 'not_found' });
  });
});

test('two agents that are asked at once answer in parallel', async () => {
  const goal = await factory.goal('诊断三楼A区和二楼A区空调');
  expect(goal.plan.steps.map(({ callee, state }) => [callee, state])).toEqual([
    ['floor3_hvac_agent_v1.0', 'completed'],
    ['floor2_hvac_agent_v1.0', 'completed'],
  ]);
  const [one, other] = goal.plan.steps;
  expect(Math.max(Number(one?.started_at), Number(other?.started_at))).toBeLessThan(
    Math.min(Number(one?.ended_at), Number(other?.ended_at)),
  );
});
