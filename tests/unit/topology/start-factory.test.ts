import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startFactory, type Topology } from '../../../topology/index.js';
import { demoTopology } from '../../support/demo-site.js';

const folder = mkdtempSync(join(tmpdir(), 'hermes-start-factory-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const servers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap').length;
const folders = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('hermes-factory-'));

/** The first agent starts, the second is refused. */
function unstartable(): Topology {
  const topology = demoTopology();
  return { ...topology, agents: topology.agents.map((row, at) => (at === 1 ? { ...row, instances: 2 } : row)) };
}

describe('a factory', () => {
  test('that does not start leaves no port open and its folder free', async () => {
    const dataDir = join(folder, 'data');
    const before = servers();
    await expect(startFactory(unstartable(), { dataDir })).rejects.toThrow(/one instance/);
    await expect.poll(servers).toBe(before);
    const factory = await startFactory(demoTopology(), { dataDir });
    expect(servers()).toBeGreaterThan(before);
    await expect(startFactory(demoTopology(), { dataDir })).rejects.toMatchObject({ reason: 'store_locked' });
    await factory.stop();
    await expect.poll(servers).toBe(before);
  });

  test('reads a scope from the record of its home', async () => {
    const factory = await startFactory(demoTopology());
    try {
      const goal = await factory.goal('重启PLC-003');
      expect(goal.state).toBe('completed');
      const kinds = async (scope: string) => (await factory.audit(scope)).map((entry) => entry.kind);
      expect(await kinds('device_PLC-003')).toEqual(expect.arrayContaining(['started', 'finished']));
      expect(await kinds(`goal_${goal.goal_id}`)).not.toEqual([]);
      await expect(factory.audit('timetable_T1')).rejects.toMatchObject({ reason: 'not_found' });
    } finally {
      await factory.stop();
    }
  });

  test('takes its own folder away, started or not', async () => {
    const before = folders();
    await expect(startFactory(unstartable())).rejects.toThrow();
    const after = folders().filter((name) => !before.includes(name));
    expect(after).toEqual([]);
  });
});
