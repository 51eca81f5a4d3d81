import { beforeEach, describe, expect, test } from 'vitest';
import { workersBench } from '../../support/workers-bench.js';

let bench: Awaited<ReturnType<typeof workersBench>>;
beforeEach(async () => {
  bench = await workersBench();
});
const devices = () => bench.site.devices.map(({ id }) => id);
const owners = () => bench.workers.map(({ agent }) => agent.cell.instance);

describe('workers of one component', () => {
  test('each serves the devices of its own links, whoever is asked first', async () => {
    await bench.start();
    await bench.start();
    await bench.clock.advance(3_000);
    const served = new Map<string, string>();
    for (const device_id of devices()) {
      const answers = [];
      for (let turn = 0; turn < 3; turn++) {
        const { response } = await bench.clock.run(bench.call('get_device_status', { device_id }, { key: 'other' }));
        answers.push(response.served_by);
      }
      expect(new Set(answers).size).toBe(1);
      served.set(device_id, answers[0] as string);
    }
    for (const instance of owners()) {
      expect([...served.values()].filter((by) => by === instance).length).toBeGreaterThanOrEqual(4);
    }
    // A gateway takes one connection: no link was asked by two instances.
    for (const link of bench.world.links) {
      const by = bench.site.devices.filter((device) => device.link === link).map(({ id }) => served.get(id));
      expect(new Set(by).size).toBe(1);
    }
  });

  test('the calls of a worker that dies in the middle are served by another, none is lost', async () => {
    await bench.start();
    await bench.start();
    await bench.clock.advance(3_000);
    const calls = devices().flatMap((device_id) => [0, 1].map(() => bench.call('get_device_status', { device_id })));
    await bench.clock.advance(3);
    bench.workers[0]?.crash();
    const answers = await bench.clock.run(Promise.all(calls));
    expect(answers).toHaveLength(devices().length * 2);
    const after = await bench.clock.run(
      Promise.all(devices().map((device_id) => bench.call('get_device_status', { device_id }))),
    );
    expect(new Set(after.map(({ response }) => response.served_by))).toEqual(new Set([owners()[1]]));
  });

  test('a restart whose worker dies under it happens once', async () => {
    await bench.start();
    await bench.start();
    await bench.clock.advance(3_000);
    const device_id = devices()[0] as string;
    const { response } = await bench.clock.run(bench.call('get_device_status', { device_id }));
    const owner = bench.workers.find(({ agent }) => agent.cell.instance === response.served_by);
    const before = bench.world.frames({ device: device_id }).length;
    const restart = bench.call('restart_device', { device_id }, { requestId: 'g-1.restart.1' });
    restart.catch(() => undefined);
    await bench.clock.advance(200);
    owner?.crash();
    await bench.clock.run(restart);
    const writes = bench.world
      .frames({ device: device_id })
      .slice(before)
      .filter(({ fc, dir, address }) => dir === 'in' && fc === 6 && address < 200);
    expect(writes).toHaveLength(1);
  });

  test('ask reaches a device that another instance owns', async () => {
    await bench.start();
    await bench.start();
    await bench.clock.advance(3_000);
    for (const worker of owners()) {
      const text = `查${devices()[0]}状态`;
      const { response } = await bench.clock.run(bench.call('ask', { text }, { instance: worker }));
      expect(response.result).toMatchObject({ steps: [{ state: 'completed' }] });
    }
  });

  test('W6: first sentences of one session that come at once are understood one after the other', async () => {
    await bench.start();
    const [device, other] = devices();
    const say = (text: string, session: string) =>
      bench.call('ask', { text, session_context_id: session }, { retry: { max_attempts: 1 } });
    const said = [
      say(`查${device}状态`, 's-aaaaaaaaaaaaaaaa'),
      say('查它的状态', 's-aaaaaaaaaaaaaaaa'),
      say(`查${other}状态`, 's-bbbbbbbbbbbbbbbb'),
    ];
    const answers = await bench.clock.run(Promise.all(said));
    const outcomes = answers.map(({ response }) => (response.result as { outcome: string }).outcome);
    expect(outcomes).toEqual(['plan', 'plan', 'plan']);
    expect(JSON.stringify(answers[1]?.response.result)).toContain(device);
  });

  test('one that is drained hands its links over and takes no call any more', async () => {
    await bench.start();
    await bench.start();
    await bench.clock.advance(3_000);
    const [first, second] = owners();
    await bench.clock.run(bench.call('drain', {}, { instance: first as string }));
    await bench.clock.advance(2_000);
    const answers = await bench.clock.run(
      Promise.all(devices().map((device_id) => bench.call('get_device_status', { device_id }))),
    );
    expect(new Set(answers.map(({ response }) => response.served_by))).toEqual(new Set([second]));
  });
});
