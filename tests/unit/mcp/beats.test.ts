import { describe, expect, test } from 'vitest';
import { listenToBeats, sendBeats } from '../../../mcp/beats.js';
import { mcpBench } from '../../support/mcp-bench.js';
import { recordingLogger, silentMetrics } from '../../support/transport-harness.js';

/** One instance that tells its load and one that listens; beats are lost, or cannot be sent, while it is said. */
function beating() {
  const { clock, connect } = mcpBench();
  const logger = recordingLogger([]);
  const now = { load: 0, way: 'open' as 'open' | 'lost' | 'down' };
  const { bus } = connect('worker');
  const publish: typeof bus.publish = (...message) => {
    if (now.way === 'down') throw new Error('the line is down');
    if (now.way === 'open') bus.publish(...message);
  };
  const about = { tenant: 'default', component: 'worker', instance: 'worker-a', load: () => now.load };
  const sender = sendBeats({ bus: { ...bus, publish }, clock, logger }, about);
  const listener = listenToBeats(
    { bus: connect('caller').bus, clock, logger, metrics: silentMetrics() },
    { tenant: 'default' },
  );
  const heard = () => listener.load('worker', 'worker-a');
  heard();
  return { clock, now, sender, heard };
}

describe('the load of an instance', () => {
  test('is its last word while it works, however long, also when a beat or two are lost', async () => {
    const { clock, now, sender, heard } = beating();
    now.load = 3;
    sender.touch();
    for (let n = 0; n < 20; n++) {
      await clock.advance(1_100);
      now.way = n % 3 === 0 ? 'open' : 'lost';
      expect(heard(), `beat ${n}`).toBe(3);
    }
  });

  test.each(['lost', 'down'] as const)('is zero soon after its work ends, though the last beat is %s', async (way) => {
    const { clock, now, sender, heard } = beating();
    now.load = 3;
    sender.touch();
    await clock.advance(1_500);
    expect(heard()).toBe(3);
    Object.assign(now, { load: 0, way });
    await clock.advance(3_600);
    expect(heard()).toBe(0);
    now.way = 'open';
    sender.touch();
    await clock.advance(1_500);
    expect(heard()).toBe(0);
  });
});
