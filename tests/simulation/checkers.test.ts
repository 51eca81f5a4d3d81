import { describe, expect, test } from 'vitest';
import { openTransport } from '../../mcp/transport/index.js';
import type { LinkDriver } from '../../shared/device.js';
import { seededRandom } from '../../shared/random.js';
import { silentLogger } from '../../shared/telemetry/logger.js';
import { VirtualClock } from '../../shared/virtual-clock.js';
import { bytes } from '../support/transport-harness.js';
import { createAnswers } from './answers.js';
import { createOwnersActs } from './owners-acts.js';

const DRIVER: LinkDriver = {
  state: 'connected',
  read: async () => [0],
  write: async () => ({ function_code: 6 }),
  fence: async () => undefined,
  close: async () => undefined,
};

describe('checkers catch what they are for', () => {
  test('a write under an older token than the last one on the link', async () => {
    const acts = createOwnersActs();
    const [old, next, other] = [
      acts.tap('plc#1', 'line-1', DRIVER),
      acts.tap('plc#2', 'line-1', DRIVER),
      acts.tap('plc#1', 'line-2', DRIVER),
    ];
    const write = { unit: 1, table: 'holding', address: 0, values: [1] } as const;
    await old.fence(1, 200, 5);
    await old.write(write);
    await next.fence(1, 200, 7);
    await next.write(write);
    await other.fence(1, 200, 5);
    await other.write(write);
    expect(acts.overtaken()).toEqual([]);
    await old.write(write);
    expect(acts.overtaken()).toMatchObject([{ rule: 'one owner at once' }]);
  });

  test('a request that is neither answered nor passed on, unless its receiver died', async () => {
    const clock = new VirtualClock();
    const sim = await openTransport('sim', { clock, random: seededRandom(1), logger: silentLogger() });
    const answers = createAnswers();
    const plc = sim.connect('plc#1');
    const { bus } = answers.tap('plc#1', plc.transport);
    let replies = 0;
    bus.subscribe('hermes.t.call.plc.v1.*', ({ reply }) => {
      if (replies++ === 0 && reply !== undefined) bus.publish(reply, bytes('answer'));
    });
    sim.bus.subscribe('hermes.t.reply.>', () => undefined);
    const ask = async () => {
      sim.bus.publish('hermes.t.call.plc.v1.hvac', bytes('ask'), { reply: 'hermes.t.reply.hvac.x' });
      await clock.advance(10);
    };
    await ask();
    expect(answers.owed()).toEqual([]);
    await ask();
    expect(answers.owed()).toEqual([{ place: 'plc#1', count: 1 }]);
    plc.crash();
    expect(answers.owed()).toEqual([]);
  });
});
