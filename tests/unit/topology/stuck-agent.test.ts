import { afterEach, describe, expect, test } from 'vitest';
import { startTwin, type Twin } from '../../../topology/index.js';
import { demoTopology } from '../../support/demo-site.js';
import { recordingLogger } from '../../support/transport-harness.js';

const twins: Twin[] = [];
afterEach(async () => {
  for (const twin of twins.splice(0)) await twin.clock.run(twin.stop(), 120_000);
});

/** The log of one agent never answers an append about a device, from the moment at which it is told to. */
async function bench() {
  const complaints: string[] = [];
  const hangs = { on: false };
  const never = (): Promise<never> => new Promise(() => undefined);
  const twin = await startTwin(demoTopology(), {
    seed: 1,
    logger: recordingLogger(complaints),
    wrap: (component, transport) =>
      component !== 'plc_controller'
        ? transport
        : {
            ...transport,
            log: {
              ...transport.log,
              append: (subject, payload, options) =>
                hangs.on && subject.includes('device_PLC-007')
                  ? never()
                  : transport.log.append(subject, payload, options),
            },
          },
  });
  twins.push(twin);
  const { clock, site } = twin;
  const instances = () =>
    Object.fromEntries(
      site()
        .coordinator.discovery.members()
        .map(({ component, instance }) => [component, instance]),
    );
  const goal = async (text: string) => {
    const id = await clock.run(twin.submit(text, { timeout_ms: 20_000 }));
    return (await clock.run(twin.settled(id, 60_000), 90_000)).state;
  };
  const ask = (text: string): Promise<string> =>
    clock.run(
      site()
        .coordinator.agent.cell.caller.call({
          callee: 'plc_controller_v1.2',
          method: 'ask',
          params: { text },
          deadlineAt: clock.now() + 20_000,
        })
        .then(
          () => 'completed',
          () => 'failed',
        ),
      60_000,
    );
  return { clock, site, complaints, hangs, instances, goal, ask };
}
describe('W9: a key of one agent on which a call never ends', () => {
  test.each(['its own method', 'ask'])('by %s: that agent is started again, its siblings are not', async (way) => {
    const { clock, complaints, hangs, instances, goal, ask, site } = await bench();
    const before = instances();
    hangs.on = true;
    expect(await (way === 'ask' ? ask('重启PLC-007') : goal('重启PLC-007'))).toBe('failed');
    await clock.advance(15_000);
    hangs.on = false;
    await clock.advance(20_000);
    expect(complaints.filter((one) => one === 'an agent is started again')).toHaveLength(1);
    const { plc_controller: first, ...siblings } = before;
    const { plc_controller: second, ...same } = instances();
    expect(second).toEqual(expect.any(String));
    expect(second).not.toBe(first);
    expect(same).toEqual(siblings);
    expect(site().problems()).toEqual([]);
    expect(await goal('重启PLC-007')).toBe('completed');
  });
});
