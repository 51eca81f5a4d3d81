import { expect, test } from 'vitest';
import { scopes } from '../../../agents/runtime/index.js';
import { createRecord, openVault, openView } from '../../../agents/runtime/record/index.js';
import { openSim, type Store } from '../../../mcp/transport/index.js';
import { HermesError } from '../../../shared/errors.js';
import { createIds } from '../../../shared/ids.js';
import { softwareKeyProvider } from '../../../shared/keys/index.js';
import { seededRandom } from '../../../shared/random.js';
import { VirtualClock } from '../../../shared/virtual-clock.js';
import { recordingLogger, silentMetrics } from '../../support/transport-harness.js';

/** A store that opens empty and takes no row. */
const onFullDisk = (store: Store): Store => ({
  get: (key) => store.get(key),
  range: (range) => store.range(range),
  close: () => store.close(),
  async batch(changes) {
    if (changes.length > 0) throw new HermesError('log_unavailable', 'the disk is full');
  },
});

test.each([100, 600])('a view closes with %i entries waiting for a disk that is full', async (count) => {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const logger = recordingLogger([]);
  const { transport } = openSim({ clock, random: random.stream('sim'), logger }).connect('worker');
  const { log } = transport;
  const keys = softwareKeyProvider('sim', new Uint8Array(32).fill(7), random);
  const vault = await clock.run(openVault({ log, keys, random }, 'default'));
  const doors = { log, vault, clock, ids: createIds(clock, random), metrics: silentMetrics() };
  const place = { tenant: 'default', component: 'worker_v1.0', name: 'worker', instance: 'worker-1' };
  const record = createRecord(doors, place);
  const store = onFullDisk(await clock.run(transport.openStore('worker')));
  const own = { tenant: 'default', component: 'worker' };
  const view = await clock.run(openView({ log, store, vault, clock, logger }, own));
  for (let n = 0; n < count; n++) {
    await clock.run(record.append(scopes.device('PLC-007'), { kind: 'alarm', data: { n } }));
  }
  await clock.advance(1_000);
  expect(view.applied).toBe(0);
  await clock.run(view.close(), 10_000);
});
