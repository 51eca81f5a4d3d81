import { afterEach, describe, expect, test } from 'vitest';
import { scopes } from '../../../agents/runtime/index.js';
import { startTwin, type Topology, type Twin } from '../../../topology/index.js';
import { demoTopology } from '../../support/demo-site.js';

const twins: Twin[] = [];
afterEach(async () => {
  for (const twin of twins.splice(0)) await twin.clock.run(twin.stop());
});

async function site(topology: Topology = demoTopology()) {
  const twin = await startTwin(topology, { seed: 1 });
  twins.push(twin);
  const goal = async (text: string) => {
    const id = await twin.clock.run(twin.submit(text));
    return twin.clock.run(twin.settled(id, 120_000), 180_000);
  };
  const restarts = () =>
    twin.world.frames().filter((frame) => frame.dir === 'in' && frame.fc === 6 && frame.address === 100).length;
  return { ...twin, goal, restarts };
}

describe('a restart whose interlocks cannot be read', () => {
  test('the e-stop is pressed and its inputs do not answer: no restart frame, the point is named', async () => {
    const { world, goal, restarts } = await site();
    world.put('PLC-003', 'estop', true);
    world.addFault({ device: 'PLC-003', kind: 'exception', params: { code: 4, fc: [2] } });
    const { state, error } = await goal('重启PLC-003');
    expect(state).toBe('failed');
    expect(error?.data).toMatchObject({ reason: 'refused_by_device', why: 'interlock', point: 'estop' });
    expect(error?.message).toMatch(/estop cannot be read: .+/);
    expect(restarts()).toBe(0);
  });

  test('the status does not answer: no restart frame', async () => {
    const { world, goal, restarts } = await site();
    world.addFault({ device: 'PLC-003', kind: 'exception', params: { code: 4, fc: [4] } });
    const { error } = await goal('重启PLC-003');
    expect(error?.data).toMatchObject({ reason: 'refused_by_device', why: 'interlock', point: 'status' });
    expect(restarts()).toBe(0);
  });

  test('what says that it forbids is named as such, whatever else is dark', async () => {
    const { world, goal, restarts } = await site();
    world.put('PLC-003', 'estop', true);
    world.addFault({ device: 'PLC-003', kind: 'exception', params: { code: 4, fc: [4] } });
    expect((await goal('重启PLC-003')).error?.data).toMatchObject({ reason: 'refused_by_device', why: 'estop' });
    expect(restarts()).toBe(0);
  });

  test('a device that declares no e-stop and no lockout is restarted', async () => {
    const topology = demoTopology();
    const without = ({ name }: { name: string }) => name !== 'estop' && name !== 'locked_out';
    const kinds = Object.entries(topology.device_kinds).map(([name, kind]) => [
      name,
      { ...kind, points: kind.points.filter(without) },
    ]);
    const { goal, restarts } = await site({ ...topology, device_kinds: Object.fromEntries(kinds) });
    expect((await goal('重启PLC-003')).state).toBe('completed');
    expect(restarts()).toBe(1);
  });
});

describe('a write that is undone', () => {
  const undone = async (silently: boolean) => {
    const { world, goal, clock, site: running, ...twin } = await site();
    // The write is done and its answer lost; from then on writes are acknowledged only.
    world.addFault({ device: 'PLC-003', kind: 'delay', params: { ms: 5_000, fc: 6 }, for_ms: 500 });
    if (silently) world.addFault({ device: 'PLC-003', kind: 'silent_write', after_ms: 500 });
    const ended = await goal('把PLC-003的温度设定改为50度');
    const { view } = running().agents.get('plc_controller')?.cell ?? {};
    const entries = await clock.run(view?.entries(scopes.device('PLC-003')) ?? Promise.resolve([]));
    return { ended, last: entries.at(-1), ...twin };
  };

  test('and is back: rolled back, confirmed', async () => {
    const { last } = await undone(false);
    expect(last?.rollback).toMatchObject({ executed: true, outcome: 'confirmed' });
  });

  test('and is not back, though the device said so: the rollback has failed, and the record says so', async () => {
    const { ended, last } = await undone(true);
    expect(ended.state).toBe('failed');
    expect(last?.rollback).toMatchObject({
      executed: true,
      outcome: 'failed',
      error: { data: { reason: 'rollback_failed', evidence: { wanted: 45, read_back: 50 } } },
    });
    expect(ended.error?.data.reason).toBe('rollback_failed');
  });
});
