import { describe, expect, test } from 'vitest';
import { createEvents } from '../../../mcp/index.js';
import { mcpBench } from '../../support/mcp-bench.js';
import { recordingLogger } from '../../support/transport-harness.js';

function bench() {
  const made = mcpBench();
  const { clock, ids, complaints, counted } = made;
  const metrics = {
    count: (name: string, labels: Readonly<Record<string, string>> = {}) => void counted.push({ name, labels }),
    measure: () => undefined,
  };
  const { bus } = made.connect('worker');
  const logger = recordingLogger(complaints);
  const events = createEvents({ bus, clock, ids, logger, metrics }, { source: 'worker', tenant: 'default' });
  return { ...made, bus, events };
}

describe('an event that cannot be sent', () => {
  const refused = { name: 'mcpRejected', labels: { component: 'worker', reason: 'not_ready' } };

  test('because the bus is closed is no error of who tells it: it is logged and counted', async () => {
    const { clock, bus, events, complaints, counted } = bench();
    await clock.run(bus.close());
    expect(events.emit('alarm.raised', { alarm_id: 'a' }, 'ev-1')).toMatchObject({ event_id: 'ev-1' });
    expect(complaints).toContain('an event could not be sent');
    expect(counted).toEqual([refused]);
  });

  test('because it is too large or cannot be packed neither; the next one is heard', async () => {
    const { clock, events, counted } = bench();
    const heard: unknown[] = [];
    events.on('alarm.raised', (event) => void heard.push(event.data));
    for (const data of [{ text: 'x'.repeat(2_000_000) }, { value: 10n }]) {
      expect(() => events.emit('alarm.raised', data)).not.toThrow();
    }
    events.emit('alarm.raised', { alarm_id: 'b' });
    await clock.advance(50);
    expect(heard).toEqual([{ alarm_id: 'b' }]);
    expect(counted.map(({ name }) => name)).toEqual(['mcpRejected', 'mcpRejected', 'eventsEmitted']);
  });
});
